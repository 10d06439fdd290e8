import { ConflictError, NotFoundError } from '#core';

/**
 * Maximum number of connectors of one organization, because each active connector may open a ticket for every incident.
 */
export const CONNECTORS_MAX = 50;

/** The organization has no connector with this id. */
export class ConnectorNotFoundError extends NotFoundError {
  constructor(id: string) {
    super(`There is no connector ${id} in your organization.`);
  }
}

/** The organization has reached its limit of connectors. */
export class TooManyConnectorsError extends ConflictError {
  constructor() {
    super(`Your organization has ${CONNECTORS_MAX} connectors, the maximum; delete unused ones.`);
  }
}

/** The organization already has a connector with this name. */
export class ConnectorNameTakenError extends ConflictError {
  constructor(name: string) {
    super(`Another connector is named "${name}"; choose another name.`);
  }
}

/** The connector is inactive. */
export class ConnectorInactiveError extends ConflictError {
  constructor() {
    super('The connector is inactive; set active to true, then try again.');
  }
}

/** This process has no adapter for the connector's platform. */
export class AdapterMissingError extends ConflictError {
  constructor(kind: string) {
    super(`No adapter of kind "${kind}" is installed; add it to itsmAdapters, or delete the connector.`);
  }
}

/** The organization has no active connector. */
export class NoActiveConnectorError extends ConflictError {
  constructor() {
    super('No connector is active; set one up under /v1/itsm/connectors, or set active to true.');
  }
}
