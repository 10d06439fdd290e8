import { asObject, asText, objectIn, type AdapterHttp, type AdapterRequest, type JsonObject } from '#itsm';
import { ScriptedAdapterHttp } from 'nest-llm-governance/testing';
import { AcmeDeskAdapter } from '../../../apps/examples/docs-snippets/src/acme-desk/acme-desk.adapter.js';

const capabilities = { priority: true, labels: true, comment: false, findByKey: 'strong', create: 'idempotent' };

/** A variant of Acme Desk that creates one ticket per reference. */
export class IdempotentDesk extends AcmeDeskAdapter {
  override readonly capabilities = capabilities as never;
}

/** An adapter that declares idempotency although its platform does not have it. */
export class Pretending extends AcmeDeskAdapter {
  override readonly capabilities = capabilities as never;
}

/** The platform of {@link IdempotentDesk}. A create with a known reference returns the existing ticket. */
export function idempotentDesk(desk: AdapterHttp): AdapterHttp {
  const created = new Map<string, JsonObject>();
  return new ScriptedAdapterHttp(['https://acme.example'], async (request: AdapterRequest) => {
    const reference = asText(asObject(request.json)?.['reference']) ?? '';
    const known = request.method === 'POST' ? created.get(reference) : undefined;
    if (known) return { status: 201, json: known };
    const { status, body, ...answer } = await desk.request(request);
    const ticket = objectIn({ status, body, ...answer });
    if (request.method === 'POST' && status === 201 && ticket) created.set(reference, ticket);
    return { status, text: body.toString(), headers: answer.headers };
  });
}
