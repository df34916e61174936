/** Shapes that travel between the sources, the catalog builder and the writer. */

export type Scalar = string | number | boolean | null;

/** `show` is AND over keys, `hide` is OR; a condition is a plain value or `{_cnd: {op: value}}`. */
export interface DisplayOptions {
  show?: Record<string, unknown[]>;
  hide?: Record<string, unknown[]>;
}

/** One choice of an `options` or `multiOptions` parameter. */
export interface Choice {
  name: string;
  value: Scalar;
  description?: string;
  action?: string;
  displayOptions?: DisplayOptions;
  [key: string]: unknown;
}

/** One group of a `fixedCollection`. */
export interface Group {
  name: string;
  displayName?: string;
  values: Property[];
  [key: string]: unknown;
}

/** A parameter as an n8n node description declares it. */
export interface Property {
  name: string;
  displayName: string;
  type: string;
  default?: unknown;
  required?: boolean;
  noDataExpression?: boolean;
  options?: Array<Choice | Property | Group>;
  values?: Property[];
  modes?: Array<Record<string, unknown>>;
  displayOptions?: DisplayOptions;
  typeOptions?: Record<string, unknown>;
  [key: string]: unknown;
}

/** A connection as a description declares it; a string is its type alone. */
export type RawPort =
  | string
  | {
      type: string;
      displayName?: string;
      required?: boolean;
      maxConnections?: number;
      category?: string;
      filter?: { nodes?: string[]; excludedNodes?: string[] };
    };

/** The description that one implementation of a node states about itself. */
export interface Description {
  name: string;
  displayName: string;
  version: number | number[];
  group?: string[];
  description?: string;
  defaults?: { name?: string };
  defaultVersion?: number;
  inputs: RawPort[] | string;
  outputs: RawPort[] | string;
  inputNames?: string[];
  outputNames?: string[];
  properties: Property[];
  credentials?: Array<{ name: string; [key: string]: unknown }>;
  codex?: {
    categories?: string[];
    subcategories?: Record<string, string[]>;
    alias?: string[];
    resources?: { primaryDocumentation?: Array<{ url: string }> };
  };
  usableAsTool?: boolean | { replacements?: Record<string, unknown> };
  webhooks?: Array<Record<string, unknown>>;
  polling?: boolean;
  hidden?: boolean;
  requestDefaults?: { baseURL?: string };
  builderHint?: {
    inputs?: Record<string, { required?: boolean; displayOptions?: DisplayOptions }>;
    outputs?: Record<string, unknown>;
    searchHint?: string;
    relatedNodes?: Array<string | { nodeType: string; relationHint?: string }>;
  };
  iconUrl?: string | { light?: string };
  [key: string]: unknown;
}

/** A credential type as its class or the package's type file declares it. */
export interface CredentialDescription {
  name: string;
  displayName: string;
  extends?: string[];
  properties?: Property[];
  authenticate?: unknown;
  genericAuth?: boolean;
  [key: string]: unknown;
}

/** One implementation of a node that a source found, under its full id. */
export interface FoundNode {
  id: string;
  package: string;
  description: Description;
  /** Not part of n8n itself: its expressions are evaluated in a separate process. */
  community: boolean;
  availability: 'installed' | 'excluded';
  className?: string;
  /** Absolute path of the compiled node file. */
  file?: string;
  /** Path of the same file below the package's `nodes` folder, e.g. `Google/Gmail/Gmail.node.js`. */
  place?: string;
  /** Made by n8n from the node `of`. */
  generated?: 'ai_tool' | 'hitl_tool';
  of?: string;
}

export interface FoundCredential {
  package: string;
  description: CredentialDescription;
}

export interface PackageLine {
  name: string;
  version?: string | null;
  community?: boolean;
  error?: string;
}

/** Version key of a node class to the versions its description states: `{"2.3": [2, 2.1, 2.2]}`. */
export type VersionKeys = Record<string, number[]>;

/** Everything a source found. */
export interface Found {
  origin: 'installed' | 'login' | 'assumed';
  versions: Record<string, string>;
  packages: PackageLine[];
  nodes: FoundNode[];
  credentials: FoundCredential[];
  /** By node id, where a class could be read. */
  versionKeys: Map<string, VersionKeys>;
  /** What n8n announces to take out; absent where its rules cannot be read. */
  removals?: Removal[];
}

/** A node that n8n takes out in a major version, and the names of those that do its work. */
export interface Removal {
  id: string;
  version: string;
  names: string[];
}

/** A request that a node makes: `*` replaces a part of the path that varies. */
export interface Request {
  path: string;
  method?: string;
  params?: Record<string, unknown>;
}

export interface Port {
  kind: string;
  name?: string;
  required?: boolean;
  max?: number;
  accepts?: string[];
  refuses?: string[];
  role?: 'error';
}

export interface PortRow {
  when: Record<string, unknown>;
  ports: Port[];
}

export interface DynamicPorts {
  source: string;
  reads: string[];
  table?: PortRow[];
}

export interface Operation {
  params: Record<string, unknown>;
  name: string;
  description?: string;
  versions?: number[];
}

export interface Variant {
  versions: number[];
  name?: string;
  inputs: Port[] | DynamicPorts;
  outputs: Port[] | DynamicPorts;
  parameters: Property[];
  operations?: Operation[];
  credentials?: Array<{ name: string; [key: string]: unknown }>;
  traits: Record<string, unknown>;
}

export interface ToolLine {
  kind: 'tool';
  id: string;
  name: string;
  package: string;
  availability: 'installed' | 'excluded';
  hidden: boolean;
  replaced_by?: string[];
  version_deprecated?: string;
  variants: Variant[];
  [key: string]: unknown;
}

export interface CredentialLine {
  kind: 'credential';
  id: string;
  name: string;
  [key: string]: unknown;
}

export interface Catalog {
  header: Record<string, unknown>;
  credentials: CredentialLine[];
  tools: ToolLine[];
}

/** Reports one finished phase to the person at the terminal. */
export type Report = (phase: string, detail: string) => void;
