import { ConflictError, NotFoundError } from '#core';
import type { IncidentStatus } from './incident-status.js';

/** The organization has no incident of that id, or none that the caller may see. */
export class IncidentNotFoundError extends NotFoundError {
  constructor(id: string) {
    super(`There is no incident ${id} in your organization.`);
  }
}

/** The incident cannot be taken from where it stands to the status that was asked for. */
export class IncidentTransitionError extends ConflictError {
  constructor(from: IncidentStatus, to: IncidentStatus) {
    super(
      from === 'resolved'
        ? 'The incident is resolved for good; a new violation opens another.'
        : `The incident is ${from} already and cannot become ${to}.`,
    );
  }
}
