import { ConflictError, NotFoundError } from '#core';
import type { IncidentStatus } from './incident-status.js';

/** No incident with this id exists in the organization, or the caller may not see it. */
export class IncidentNotFoundError extends NotFoundError {
  constructor(id: string) {
    super(`There is no incident ${id} in your organization.`);
  }
}

/** The transition to the requested status is not allowed. */
export class IncidentTransitionError extends ConflictError {
  constructor(from: IncidentStatus, to: IncidentStatus) {
    super(
      from === 'resolved'
        ? 'The incident is resolved for good; a new violation opens another.'
        : `The incident is ${from} already and cannot become ${to}.`,
    );
  }
}
