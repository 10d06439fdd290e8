import { ConflictError, NotFoundError } from '#core';

/** Most connectors of one organization: each incident opens a ticket by every active one that its routing allows. */
export const CONNECTORS_MAX = 50;

/** The organization has no connector of that id. */
export class ConnectorNotFoundError extends NotFoundError {
  constructor(id: string) {
    super(`There is no connector ${id} in your organization.`);
  }
}

/** The organization has as many connectors as it may have. */
export class TooManyConnectorsError extends ConflictError {
  constructor() {
    super(`Your organization has ${CONNECTORS_MAX} connectors, the maximum; delete unused ones.`);
  }
}

/** Two connectors of one name could not be told apart. */
export class ConnectorNameTakenError extends ConflictError {
  constructor(name: string) {
    super(`Another connector is named "${name}"; choose another name.`);
  }
}

/** Only an active connector is called. */
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

/** There is nothing to open tickets with. */
export class NoActiveConnectorError extends ConflictError {
  constructor() {
    super('No connector is active; set one up under /v1/itsm/connectors, or set active to true.');
  }
}
