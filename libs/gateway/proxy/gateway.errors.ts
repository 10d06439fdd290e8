import { RefusalError } from '#core';

/** A call that the gateway cannot complete, with the status and code of the answer. */
export class GatewayError extends RefusalError {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

/** Mistakes of the client have statuses that SDKs do not retry. */
export const gatewayErrors = {
  noProvider: () =>
    new GatewayError(404, 'provider_not_found', 'There is no provider of this name in your organization.'),
  inactive: (name: string) =>
    new GatewayError(404, 'provider_inactive', `The provider ${name} is switched off; set active to true.`),
  noPath: () =>
    new GatewayError(
      404,
      'unknown_path',
      'The gateway has no such path; see the paths of the provider’s API that it governs.',
    ),
  broken: (name: string, problem: string) =>
    new GatewayError(502, 'provider_unusable', `The provider ${name} cannot be called: ${problem}.`),
  keyRefused: (name: string) =>
    new GatewayError(
      401,
      'provider_key_refused',
      `The provider refused the stored key of ${name}; an administrator must enter another one.`,
    ),
  unreachable: (message: string) => new GatewayError(502, 'provider_unreachable', message),
  late: (message: string) => new GatewayError(504, 'provider_timeout', message),
  redirected: () =>
    new GatewayError(502, 'provider_redirected', 'The provider answered with a redirect, which is not followed.'),
  cut: (message: string) => new GatewayError(502, 'provider_interrupted', message),
  stopping: () => new GatewayError(503, 'stopping', 'The gateway is being stopped; send the request again.'),
} as const;
