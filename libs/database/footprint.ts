/** Objects of this package in a database, and whether the connected role may drop them. */
export interface Footprint {
  /** Null if the schema does not exist. */
  readonly schema: SchemaFootprint | null;
  readonly roles: readonly RoleFootprint[];
  /** Connections of running replicas and commands to this database, the oldest first. */
  readonly connections: readonly OpenConnection[];
}

/** A connection that a replica or a command has open. */
export interface OpenConnection {
  /** Process id of the server's backend. An administrator can end it with `select pg_terminate_backend(pid)`. */
  readonly pid: number;
  readonly role: string;
  /** Address of the client. Null for a local socket, or if the connected role is not allowed to see the address. */
  readonly address: string | null;
  /** Start of the connection. Null if the connected role is not allowed to see it. */
  readonly since: Date | null;
}

/** The schema with the tables of all libraries. */
export interface SchemaFootprint {
  readonly name: string;
  readonly owner: string;
  readonly tables: number;
  /** Size of tables and indexes on disk. */
  readonly bytes: number;
  readonly droppable: boolean;
}

/** A role that migrations created. Roles belong to the server, not to one database. */
export interface RoleFootprint {
  readonly name: string;
  /** Roles that are members of this role. Dropping this role revokes their membership. */
  readonly members: readonly string[];
  /**
   * Other databases in which the role owns objects or has privileges. The role must not be dropped while they exist.
   */
  readonly usedBy: readonly string[];
  readonly droppable: boolean;
}
