import { Injectable } from '@nestjs/common';
import { PrincipalResolver, ROLE_SCOPES, type HttpRequest, type Principal } from 'nest-llm-governance';
import { Staff } from './staff.js';

/** The organization of the host's people. A host may have several organizations. */
export const ORGANIZATION = '0199c2a8-5f10-7c3e-9a41-3f5d8e2b7c60';

/** Lets people who are signed in to the host use governance, too. */
@Injectable()
export class SessionPrincipals extends PrincipalResolver {
  constructor(private readonly staff: Staff) {
    super();
  }

  override async resolve({ headers }: HttpRequest): Promise<Principal | null> {
    const person = this.staff.signedIn(headers.cookie);
    if (!person) return null;
    const scopes = new Set(ROLE_SCOPES[person.isAdmin ? 'admin' : 'member']);
    return { orgId: ORGANIZATION, kind: 'host', id: person.id, name: person.name, userId: person.id, scopes };
  }
}
