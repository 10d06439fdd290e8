import { BadRequestError } from '#core';
import type { CallRequest, OpenCall, OpenOptions } from '#calls';

/** Opens governed calls: `GovernedCalls` of the module. */
export interface CallSource {
  open(orgId: string, request: CallRequest, options?: OpenOptions): Promise<OpenCall>;
}

/** The caller of a request, with additional data for the decision. */
export interface Caller {
  readonly orgId: string;
  /** The person. Give `user_id` or `user_email`. */
  readonly user_id?: string | undefined;
  readonly user_email?: string | undefined;
  /** The provider's label in policies, prices and reports. */
  readonly provider?: string | undefined;
  readonly device_id?: string | undefined;
  /** The organization's own attributes, for policy conditions. */
  readonly attributes?: CallRequest['attributes'] | undefined;
}

/** Options of governed calls. */
export interface SdkOptions {
  /** What to do while no decision can be made. Default: the option `calls.onUnavailable` of the module. */
  readonly onUnavailable?: OpenOptions['onUnavailable'];
}

/** The data of the request itself. */
export interface Asked {
  readonly model: string;
  /** Used if the caller names no provider. */
  readonly provider: string;
  readonly estimatedInputTokens: number;
  readonly maxOutputTokens?: number | undefined;
  readonly serviceTier?: CallRequest['service_tier'] | undefined;
}

/**
 * Opens the call of one request.
 * @param caller what the host's function returned; nothing if the host has not signed anybody in
 * @throws like `GovernedCalls.open`
 */
export async function openCall(
  calls: CallSource,
  caller: Caller | null | undefined,
  { model, provider: otherwise, estimatedInputTokens, maxOutputTokens, serviceTier }: Asked,
  options: SdkOptions,
): Promise<OpenCall> {
  if (!caller) throw new BadRequestError('The function that returns the caller of a request returned none.');
  const { orgId, provider, ...person } = caller;
  const request = {
    ...person,
    model,
    provider: provider ?? otherwise,
    estimated_input_tokens: estimatedInputTokens,
    max_output_tokens: maxOutputTokens,
    service_tier: serviceTier,
  };
  return calls.open(orgId, request, { onUnavailable: options.onUnavailable });
}
