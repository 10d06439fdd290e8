import {
  asObject,
  asText,
  objectIn,
  quoted,
  type AdapterHttp,
  type AdapterRequest,
  type AdapterResponse,
  type CreateOutcome,
  type Json,
  type JsonObject,
  type RenderedTicket,
  type TicketDraft,
} from '#itsm';
import { ScriptedAdapterHttp, type ItsmAdapterGround, type PlatformAnswer } from 'nest-llm-governance/testing';
import {
  AcmeDeskAdapter,
  type AcmeDeskSecrets,
  type AcmeDeskSettings,
} from '../../../apps/examples/docs-snippets/src/acme-desk/acme-desk.adapter.js';
import { Rewired, through, type Context, type Pass } from './rewired.js';

type Ground = ItsmAdapterGround<AcmeDeskSettings, AcmeDeskSecrets>;

const ORIGINS = ['https://acme.example'];
const PATCH = 'application/json-patch+json';

/** A layer between the network and Acme Desk. It can change each create request, and its answer. */
function reading(
  desk: AdapterHttp,
  read: (request: AdapterRequest) => AdapterRequest | PlatformAnswer,
  write: (answer: AdapterResponse, request: AdapterRequest) => PlatformAnswer = ({ status, headers, body }) => {
    return { status, headers, text: body.toString() };
  },
): AdapterHttp {
  return new ScriptedAdapterHttp(ORIGINS, async request => {
    const asked = read(request);
    return 'status' in asked ? asked : write(await desk.request(asked), request);
  });
}

// A platform whose creates are lists of operations, as in JSON Patch.

/** Acme Desk's adapter for a variant whose creates are lists of operations. */
export class ListDesk extends Rewired {
  override render(draft: TicketDraft, settings: AcmeDeskSettings): RenderedTicket {
    const ticket = super.render(draft, settings);
    const body = Object.entries(ticket.body).map(([name, value]) => ({ op: 'add', path: `/${name}`, value }));
    // The cast is needed because the type of Acme Desk's adapter allows only objects.
    return { ...ticket, body: body as never };
  }

  override between(request: AdapterRequest, pass: Pass): Promise<AdapterResponse> {
    const headers = { ...request.headers, 'Content-Type': `${PATCH}; charset=utf-8` };
    return pass(request.method === 'POST' ? { ...request, headers } : request);
  }
}

/** An adapter that sends the list with a wrong content type. */
export class WrongContentType extends ListDesk {
  override between(request: AdapterRequest, pass: Pass): Promise<AdapterResponse> {
    return pass(request);
  }
}

export function listGround(ground: Ground): ItsmAdapterGround<AcmeDeskSettings, AcmeDeskSecrets, Json> {
  const http = reading(ground.http, request => {
    if (request.method !== 'POST') return request;
    return Array.isArray(request.json) ? { ...request, json: objectOf(request.json) } : { status: 400, json: {} };
  });
  const urgencyIn = (sent: Json): unknown => (Array.isArray(sent) ? objectOf(sent)['urgency'] : undefined);
  return { ...ground, http, contentType: PATCH, severity: { ...ground.severity, in: urgencyIn } };
}

function objectOf(operations: readonly Json[]): JsonObject {
  const all = operations.map(asObject);
  return Object.fromEntries(all.map(each => [asText(each?.['path'])?.slice(1) ?? '', each?.['value'] ?? null]));
}

// A platform that expects the token of a create in its body, and repeats it in the answer.

/** Acme Desk's adapter for a variant with the token in the body. */
export class BodyKeyDesk extends Rewired {
  override readonly bodySecrets: readonly string[] = ['api_token'];

  override between(request: AdapterRequest, pass: Pass, { secrets }: Context): Promise<AdapterResponse> {
    const body = asObject(request.json);
    return pass(body ? { ...request, headers: {}, json: this.withToken(body, secrets.api_token) } : request);
  }

  protected withToken(body: JsonObject, token: string): JsonObject {
    return { ...body, token };
  }
}

/** An adapter that quotes a success which repeats the token. It replaces the token in the quotation. */
export class Quoting extends BodyKeyDesk {
  override async create(context: Context, ticket: RenderedTicket): Promise<CreateOutcome> {
    let said = '';
    const outcome = await super.create(
      through(context, async (request, pass) => {
        const response = await pass(request);
        said = quoted(response.body.toString());
        return response;
      }),
      ticket,
    );
    return outcome.kind === 'created' ? { ...outcome, degraded: [said] } : outcome;
  }
}

/** An adapter that does not declare that the body contains a secret. */
export class Undeclared extends BodyKeyDesk {
  override readonly bodySecrets = [];
}

/** An adapter that also sends the token within a text of the ticket. */
export class TokenInText extends BodyKeyDesk {
  protected override withToken(body: JsonObject, token: string): JsonObject {
    return { ...super.withToken(body, token), queue: `${asText(body['queue'])} (${token})` };
  }
}

/** An adapter that declares a secret which does not exist. */
export class DeclaringOtherValue extends BodyKeyDesk {
  override readonly bodySecrets = ['api_token', 'api_tokne'];
}

export function bodyKeyGround(ground: Ground): Ground {
  const http = reading(
    ground.http,
    request => {
      const { token, ...json } = asObject(request.json) ?? {};
      const headers = { authorization: `Bearer ${asText(token) ?? ''}` };
      return request.method === 'POST' ? { ...request, headers, json } : request;
    },
    (answer, { json }) => {
      const { status, headers, body } = answer;
      const said = objectIn(answer);
      return said && json ? { status, json: { ...said, received: json } } : { status, headers, text: body.toString() };
    },
  );
  return { ...ground, http };
}

// A platform that refuses with status 200.

/** Acme Desk's adapter for a variant that refuses with status 200. */
export class RefusingDesk extends AcmeDeskAdapter {
  override isSuccess(answer: AdapterResponse): boolean {
    return answer.status >= 200 && answer.status < 300 && objectIn(answer)?.['refused'] === undefined;
  }

  override async create(context: Context, ticket: RenderedTicket): Promise<CreateOutcome> {
    let refused: string | undefined;
    const watched = through(context, async (request, pass) => {
      const response = await pass(request);
      refused = asText(objectIn(response)?.['refused']);
      return response;
    });
    const outcome = await super.create(watched, ticket);
    return refused === undefined
      ? outcome
      : { kind: 'rejected', code: 'config', message: `Refused: ${quoted(refused)}` };
  }
}

/** An adapter that quotes refusals without declaring them as refusals. */
export class UndeclaredRefusals extends RefusingDesk {
  override isSuccess = undefined as never;
}

/** An adapter that reports refusals as unknown outcomes. */
export class RefusalAsUncertain extends RefusingDesk {
  override create(context: Context, ticket: RenderedTicket): Promise<CreateOutcome> {
    return AcmeDeskAdapter.prototype.create.call(this, context, ticket);
  }
}

export function refusingGround(ground: Ground): Ground {
  const refusal = { status: 200, json: { refused: 'The queue is closed.' }, becomes: 'rejected' } as const;
  return { ...ground, failsInSuccess: [...(ground.failsInSuccess ?? []), refusal] };
}
