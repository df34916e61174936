/** Runs on the n8n in GROUNDED_N8N_DIR; one process, so that its catalogs are made once. */

import './real/facts.js';
import './real/community.js';
import './real/schema.js';
import './real/parity.js';
import './real/older.js';
