/** Runs all tests on the n8n in GROUNDED_N8N_DIR in one process, so that they share catalogs. */

import './real/facts.js';
import './real/community.js';
import './real/schema.js';
import './real/parity.js';
import './real/older.js';
