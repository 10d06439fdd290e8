import { Injectable, Logger } from '@nestjs/common';
import { AuditLog, ClientAddress, requestIdOf, SecurityEventFeed, type Actor, type HttpRequest } from '#access';
import { Clock, messageOf, NotFoundError } from '#core';
import { OrgDatabase } from '#database';
import type { OidcAccount } from '../accounts/oidc-people.js';
import type { OidcProvider } from '../accounts/oidc-provider.js';
import type { OidcRefusal } from '../accounts/oidc-refusal.js';

/** The sign-in that was refused. */
interface Refused {
  readonly provider: OidcProvider;
  readonly request: HttpRequest;
  readonly account?: OidcAccount | undefined;
}

/** Records refused sign-ins: each as a security event, and also in the audit log if the account is known. */
@Injectable()
export class RefusalLog {
  private readonly logger = new Logger('Governance');

  constructor(
    private readonly events: SecurityEventFeed,
    private readonly addresses: ClientAddress,
    private readonly database: OrgDatabase,
    private readonly audit: AuditLog,
    private readonly clock: Clock,
  ) {}

  /** Never fails. If the log cannot be written, the person is still refused. */
  async write(refusal: OidcRefusal, { provider, request, account }: Refused): Promise<void> {
    const [address, requestId] = [this.addresses.of(request), requestIdOf(request)];
    this.events.record({
      ...{ type: refusal.code === 'too_many' ? 'rate_limited' : 'sign_in_failed', at: this.clock.now(), actor: null },
      ...{ address, requestId, route: `OIDC ${provider.id}`, reason: refusal.message },
    });
    // Refusals because of too many attempts are only counted above. They must not fill the audit log.
    if (!account || refusal.code === 'too_many') return;
    const { orgId, identity } = account;
    const { issuer, subject, name } = identity;
    const actor: Actor = {
      ...{ kind: 'jwt', orgId, id: `${issuer}#${subject}`, name, scopes: new Set() },
      ...{ address, requestId },
    };
    const entry = {
      ...{ action: 'sign_in.refused', resourceType: 'identity_provider', resourceId: provider.id },
      ...{ before: null, after: { issuer, subject, reason: refusal.code } },
    };
    try {
      await this.database.transaction(orgId, em => this.audit.append(em, actor, entry));
    } catch (error) {
      // The claims may name an organization that does not exist.
      if (!(error instanceof NotFoundError)) this.logger.error(`A refused sign-in is not audited: ${messageOf(error)}`);
    }
  }
}
