import type { AdapterRequest } from '#itsm';
import type { Json } from '#core';
import type { Interference, PlatformAnswer } from 'nest-llm-governance/testing';
import { answer, BEHAVIOURS, type Behaviour, type ReceivedRequest } from '../endpoint-behaviours.js';
import { startEndpoint, type Doing, type Endpoint, type EndpointOptions } from '../https-endpoint.js';

/** A parsed request to a platform. */
export interface PlatformRequest extends ReceivedRequest {
  readonly url: URL;
  /** The body as JSON; undefined if it is not JSON. */
  readonly json: Json | undefined;
}

/**
 * A test's handler for a request to a platform. If it returns undefined, the platform answers normally. `perform` makes
 * the platform handle the request, once.
 */
export type Interception = (request: PlatformRequest, perform: () => PlatformAnswer) => Doing | undefined;

/** A platform over HTTPS. */
export interface PlatformEndpoint extends Endpoint {
  /** `https://host:port` */
  readonly origin: string;
  /** All received requests, in order. */
  readonly received: readonly PlatformRequest[];
  /** Sets the handler from now on. Without an argument, the platform answers normally. */
  intercept(interception?: Interception): void;
  /** Sets the handler from now on, in the types of the adapter contract. */
  interfere(interference: Interference): void;
}

/** Starts a platform that answers with `perform`. */
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

/** Sends an answer with the usual headers of a platform. */
export function toBehaviour({ status, headers, json, text }: PlatformAnswer): Behaviour {
  const body = json === undefined ? (text ?? '') : JSON.stringify(json);
  const type = json === undefined ? 'text/html; charset=utf-8' : 'application/json;charset=UTF-8';
  return answer(status, status === 204 ? '' : body, { ...(body !== '' && { 'content-type': type }), ...headers });
}

function asAdapterRequest({ method, url, json }: PlatformRequest): AdapterRequest {
  // The cast is safe, because adapters send no other methods.
  const known = method as AdapterRequest['method'];
  return { method: known, url: url.href, ...(json !== undefined && { json }) };
}

function jsonIn({ body }: ReceivedRequest): Json | undefined {
  try {
    // The cast is safe, because JSON.parse returns only JSON values.
    return JSON.parse(body.toString('utf8')) as Json;
  } catch {
    return undefined;
  }
}
