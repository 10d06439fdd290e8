import { createHmac } from 'node:crypto';
import { isHubSigned, type InboundReport } from '#itsm';
import { AcmeDeskAdapter } from '../../../apps/examples/docs-snippets/src/acme-desk/acme-desk.adapter.js';

/** Acme Desk, if it signed its webhooks. */
export class SigningDesk extends AcmeDeskAdapter {
  override isSigned(report: InboundReport, secret: string): boolean {
    return isHubSigned(report, secret);
  }
}

/** How it signs. */
export function deskSignature(bytes: Buffer, secret: string): Record<string, string> {
  return { 'x-hub-signature': `sha256=${createHmac('sha256', secret).update(bytes).digest('hex')}` };
}

// Copies that break the rule, each in one way.

export class Gullible extends SigningDesk {
  override isSigned({ headers }: InboundReport): boolean {
    return headers['x-hub-signature'] !== undefined;
  }
}

export class Rewriting extends SigningDesk {
  override isSigned({ headers, bytes }: InboundReport, secret: string): boolean {
    const anew = Buffer.from(JSON.stringify(JSON.parse(String(bytes))));
    return isHubSigned({ headers, bytes: anew }, secret);
  }
}

export class Startled extends SigningDesk {
  override isSigned(report: InboundReport, secret: string): boolean {
    if (report.headers['x-hub-signature'] === undefined) throw new TypeError('no signature');
    return super.isSigned(report, secret);
  }
}
