import { Injectable } from '@nestjs/common';
import { UserDirectory, type JsonObject, type UserReference } from '#core';

/** The fields from which the department of an incident, or of another subject, is determined. */
export interface IncidentPerson {
  readonly details: JsonObject;
  readonly userId: string | null;
  readonly userEmail: string | null;
}

/** Finds the departments of the users whom incidents are about. */
@Injectable()
export class IncidentDepartments {
  constructor(private readonly users: UserDirectory) {}

  /**
   * The department of each incident, in the same order; null if there is none. A violation contains the user's
   * department at its time, which may be null. For any other incident, the department is the current one in the
   * directory.
   * @throws Error if the directory does not answer
   */
  async of(orgId: string, incidents: readonly IncidentPerson[]): Promise<(string | null)[]> {
    const asked = incidents.filter(incident => !isNoted(incident) && hasPerson(incident));
    const users = asked.length === 0 ? [] : await this.users.find(orgId, asked.map(referenceOf));
    const found = new Map(asked.map((incident, at) => [incident, users[at]?.department ?? null]));
    return incidents.map(incident => notedOf(incident) ?? found.get(incident) ?? null);
  }
}

function isNoted({ details }: IncidentPerson): boolean {
  return Object.hasOwn(details, 'department');
}

function notedOf({ details }: IncidentPerson): string | null {
  const { department } = details;
  return typeof department === 'string' ? department : null;
}

function hasPerson({ userId, userEmail }: IncidentPerson): boolean {
  return userId !== null || userEmail !== null;
}

function referenceOf({ userId, userEmail }: IncidentPerson): UserReference {
  return userId === null ? { user_email: userEmail ?? undefined } : { user_id: userId };
}
