import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { ClientAddress, type HttpRequest } from '#access';
import { ForbiddenError, isUuid } from '#core';
import { refuseAnnounced } from '../../announced-size.js';
import { admits, DEFAULT_NETWORKS } from '../settings/allowed-networks.js';
import { InboundSettingsService } from '../settings/inbound-settings.service.js';

/** Maximum size of a report, in bytes. A platform’s webhook may contain the whole ticket with its comments. */
export const REPORT_MAX_BYTES = 1024 * 1024;

/** The error does not reveal whether an address is allowed, because anyone may read it. */
const HIDDEN =
  'An untrusted proxy forwarded this report, so its sender is unknown; set GOVERNANCE_TRUSTED_PROXIES (option ' +
  'trustedProxies) to the proxy’s address, and make the proxy send X-Forwarded-For.';

/** Accepts or refuses a report by its source IP address, before its body is read. */
@Injectable()
export class InboundGuard implements CanActivate {
  constructor(
    private readonly addresses: ClientAddress,
    private readonly settings: InboundSettingsService,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<HttpRequest & { params?: { org_id?: string } }>();
    if (this.addresses.isHidden(request)) throw new ForbiddenError(HIDDEN);
    const address = this.addresses.of(request);
    const orgId = request.params?.org_id;
    const isLetIn = isUuid(orgId) ? await this.settings.admits(orgId, address) : admits(DEFAULT_NETWORKS, address);
    if (!isLetIn) {
      throw new ForbiddenError(
        `Reports are not taken from ${address ?? 'an unknown address'}; add it to allowed_networks of /v1/itsm/inbound.`,
      );
    }
    refuseAnnounced(context, REPORT_MAX_BYTES);
    return true;
  }
}
