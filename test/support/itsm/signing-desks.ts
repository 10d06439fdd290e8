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

// Copies of the adapters that each break the rule in one way.

/** An adapter that checks only the first of several signatures. */
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

/** An adapter that accepts any secret in the header. */
export class AnySecret extends SecretDesk {
  override isSigned({ headers }: InboundReport): boolean {
    return headers['x-desk-secret'] !== undefined;
  }
}

/** An adapter for a platform that sends the secret. The test platform declares that it signs bodies. */
export class Undeclared extends AcmeDeskAdapter {
  override isSigned(report: InboundReport, secret: string): boolean {
    return hasSecret(report, secret, 'x-desk-secret');
  }
}

/** An adapter for a platform that signs bodies. The test platform declares that it sends the secret. */
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

/** An adapter that accepts every report whose raw body is missing. */
export class WithoutBody extends SigningDesk {
  override isSigned(report: InboundReport, secret: string): boolean {
    return report.bytes === null || super.isSigned(report, secret);
  }
}
