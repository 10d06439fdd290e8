import { Injectable } from '@nestjs/common';
import { PrincipalResolver, ROLE_SCOPES, type HttpRequest, type Principal } from 'nest-llm-governance';

/** The gateway's organization. */
export const ORGANIZATION = '0199c2a8-5f10-7c3e-9a41-3f5d8e2b7c60';

/** Gives every signed-in user of the gateway access to governance. */
@Injectable()
export class SessionPrincipals extends PrincipalResolver {
  override async resolve({ headers }: HttpRequest): Promise<Principal | null> {
    if (headers['x-session'] !== 'ada') return null;
    const scopes = new Set(ROLE_SCOPES.admin);
    return { orgId: ORGANIZATION, kind: 'host', id: 'ada', name: 'Ada', scopes };
  }
}
