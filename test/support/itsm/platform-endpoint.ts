import type { AdapterRequest } from '#itsm';
import type { Json } from '#core';
import type { Interference, PlatformAnswer } from 'nest-llm-governance/testing';
import { answer, BEHAVIOURS, type Behaviour, type ReceivedRequest } from '../endpoint-behaviours.js';
import { startEndpoint, type Doing, type Endpoint, type EndpointOptions } from '../https-endpoint.js';

/** A request to a platform, read. */
export interface PlatformRequest extends ReceivedRequest {
  readonly url: URL;
  /** The body as JSON; undefined where it is none. */
  readonly json: Json | undefined;
}

/** What a test has a platform do with a request; undefined lets it do the ordinary. `perform` does that, once. */
export type Interception = (request: PlatformRequest, perform: () => PlatformAnswer) => Doing | undefined;

/** A platform over HTTPS. */
export interface PlatformEndpoint extends Endpoint {
  /** `https://host:port` */
  readonly origin: string;
  /** Everything that arrived, in order. */
  readonly received: readonly PlatformRequest[];
  /** From now on; without an argument all is as usual. */
  intercept(interception?: Interception): void;
  /** The same in the words of the contract of adapters. */
  interfere(interference: Interference): void;
}

/** Starts a platform that answers as `perform` says. */
export async function startPlatform(
  options: Omit<EndpointOptions, 'behaviour'>,
  perform: (request: PlatformRequest) => PlatformAnswer,
): Promise<PlatformEndpoint> {
  const received: PlatformRequest[] = [];
  let interception: Interception | undefined;
  const endpoint = await startEndpoint({
    ...options,
    behaviour: request => {
      const full = { ...request, url: new URL(request.path, endpoint.url), json: jsonIn(request) };
      received.push(full);
      return interception?.(full, () => perform(full)) ?? toBehaviour(perform(full));
    },
  });
  const intercept = (next?: Interception): void => void (interception = next);
  return Object.assign(endpoint, {
    origin: new URL(endpoint.url).origin,
    received,
    intercept,
    interfere: (interference: Interference) =>
      intercept((request, doIt) => {
        const trouble = interference(asAdapterRequest(request));
        if (trouble === undefined) return undefined;
        if (trouble.kind === 'answer') return toBehaviour(trouble.answer);
        doIt();
        return trouble.kind === 'done, but cut' ? BEHAVIOURS.reset : toBehaviour(trouble.answer);
      }),
  });
}

/** Answers as a platform would. */
export function toBehaviour({ status, headers, json, text }: PlatformAnswer): Behaviour {
  const body = json === undefined ? (text ?? '') : JSON.stringify(json);
  const type = json === undefined ? 'text/html; charset=utf-8' : 'application/json;charset=UTF-8';
  return answer(status, status === 204 ? '' : body, { ...(body !== '' && { 'content-type': type }), ...headers });
}

function asAdapterRequest({ method, url, json }: PlatformRequest): AdapterRequest {
  // Adapters send no other methods.
  const known = method as AdapterRequest['method'];
  return { method: known, url: url.href, ...(json !== undefined && { json }) };
}

function jsonIn({ body }: ReceivedRequest): Json | undefined {
  try {
    // What JSON.parse returns is JSON.
    return JSON.parse(body.toString('utf8')) as Json;
  } catch {
    return undefined;
  }
}
