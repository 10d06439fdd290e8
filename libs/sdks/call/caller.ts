import { BadRequestError } from '#core';
import type { CallRequest, OpenCall, OpenOptions } from '#calls';

/** Opens governed calls. `GovernedCalls` of the module implements it. */
export interface CallSource {
  open(orgId: string, request: CallRequest, options?: OpenOptions): Promise<OpenCall>;
}

/** The caller of a request, with additional data for the decision. */
export interface Caller {
  readonly orgId: string;
  /** The person. Set `user_id` or `user_email`. */
  readonly user_id?: string | undefined;
  readonly user_email?: string | undefined;
  /** The provider's label in policies, prices and reports. */
  readonly provider?: string | undefined;
  readonly device_id?: string | undefined;
  /** Custom attributes of the organization, for conditions of policies. */
  readonly attributes?: CallRequest['attributes'] | undefined;
}

/** Options of governed calls. */
export interface SdkOptions {
  /** What happens while no decision can be made. Default: the option `calls.onUnavailable` of the module. */
  readonly onUnavailable?: OpenOptions['onUnavailable'];
}

/** The data that the request itself contains. */
export interface Asked {
  readonly model: string;
  /** The provider if the caller names none. */
  readonly provider: string;
  readonly estimatedInputTokens: number;
  readonly maxOutputTokens?: number | undefined;
  readonly serviceTier?: CallRequest['service_tier'] | undefined;
}

/**
 * Opens the call of one request.
 * @param caller the result of the host's function; null or undefined if nobody has signed in
 * @throws the errors of `GovernedCalls.open`
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
