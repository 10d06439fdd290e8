import { createHmac } from 'node:crypto';
import { hasSecret, isHubSigned, type InboundReport } from '#itsm';
import { AcmeDeskAdapter } from '../../../apps/examples/docs-snippets/src/acme-desk/acme-desk.adapter.js';

/** A variant of Acme Desk that signs its webhooks. */
export class SigningDesk extends AcmeDeskAdapter {
  override isSigned(report: InboundReport, secret: string): boolean {
    return isHubSigned(report, secret);
  }
}

/** The signature scheme. */
export function deskSignature(bytes: Buffer, secret: string): Record<string, string> {
  return { 'x-hub-signature': `sha256=${createHmac('sha256', secret).update(bytes).digest('hex')}` };
}

/** A variant of Acme Desk that sends a signature for each of several secrets. */
export class TogetherDesk extends AcmeDeskAdapter {
  override isSigned(report: InboundReport, secret: string): boolean {
    return this.signaturesIn(report).some(value =>
      isHubSigned({ ...report, headers: { 'x-hub-signature': value } }, secret),
    );
  }

  protected signaturesIn({ headers }: InboundReport): string[] {
    return headers['x-hub-signature']?.split(',') ?? [];
  }
}

/** A variant of Acme Desk that sends the secret in a header instead of a signature. */
export class SecretDesk extends AcmeDeskAdapter {
  override isSigned(report: InboundReport, secret: string): boolean {
    return hasSecret(report, secret, 'x-desk-secret');
  }
}

/** The header with the secret. */
export function deskSecret(_bytes: Buffer, secret: string): Record<string, string> {
  return { 'x-desk-secret': secret };
}

// Copies that each break the rule in one way.

/** Checks only the first of several signatures. */
export class FirstSignatureOnly extends TogetherDesk {
  protected override signaturesIn(report: InboundReport): string[] {
    return super.signaturesIn(report).slice(0, 1);
  }
}

export class AnySignature extends SigningDesk {
  override isSigned({ headers }: InboundReport): boolean {
    return headers['x-hub-signature'] !== undefined;
  }
}

/** Accepts any secret in the header. */
export class AnySecret extends SecretDesk {
  override isSigned({ headers }: InboundReport): boolean {
    return headers['x-desk-secret'] !== undefined;
  }
}

/** The ground declares that the platform signs bodies, but it sends the secret. */
export class Undeclared extends AcmeDeskAdapter {
  override isSigned(report: InboundReport, secret: string): boolean {
    return hasSecret(report, secret, 'x-desk-secret');
  }
}

/** The ground declares that the platform sends the secret, but it signs bodies. */
export class Overdeclared extends SigningDesk {}

export class SignatureOfParsedBody extends SigningDesk {
  override isSigned({ headers, bytes }: InboundReport, secret: string): boolean {
    const anew = Buffer.from(JSON.stringify(JSON.parse(String(bytes))));
    return isHubSigned({ headers, bytes: anew }, secret);
  }
}

export class ThrowingWithoutSignature extends SigningDesk {
  override isSigned(report: InboundReport, secret: string): boolean {
    if (report.headers['x-hub-signature'] === undefined) throw new TypeError('no signature');
    return super.isSigned(report, secret);
  }
}

/** Accepts every report whose body is gone. */
export class WithoutBody extends SigningDesk {
  override isSigned(report: InboundReport, secret: string): boolean {
    return report.bytes === null || super.isSigned(report, secret);
  }
}
