import type { CallRequest, OpenCall, OpenOptions } from '#calls';

/** What opens governed calls: `GovernedCalls`, from the module. */
export interface CallSource {
  open(orgId: string, request: CallRequest, options?: OpenOptions): Promise<OpenCall>;
}

/** For whom a request is made, and what else the decision is to know. */
export interface Caller {
  readonly orgId: string;
  /** The person. One of both must be given. */
  readonly user_id?: string | undefined;
  readonly user_email?: string | undefined;
  /** The label under which policies, prices and reports know the provider. */
  readonly provider?: string | undefined;
  readonly device_id?: string | undefined;
  /** The organization's own attributes, for conditions of policies. */
  readonly attributes?: CallRequest['attributes'] | undefined;
}

/** How calls through a door are governed. */
export interface DoorOptions {
  /** What happens while governance cannot decide. Default: the option `calls.onUnavailable` of the module. */
  readonly onUnavailable?: OpenOptions['onUnavailable'];
}

/** What the request itself says. */
export interface Asked {
  readonly model: string;
  /** Where the caller names none. */
  readonly provider: string;
  readonly estimatedInputTokens: number;
  readonly maxOutputTokens?: number | undefined;
  readonly serviceTier?: CallRequest['service_tier'] | undefined;
}

/** Opens the call of one request. @throws as `GovernedCalls.open` does */
export function openCall(
  calls: CallSource,
  { orgId, provider, ...person }: Caller,
  { model, provider: otherwise, estimatedInputTokens, maxOutputTokens, serviceTier }: Asked,
  options: DoorOptions,
): Promise<OpenCall> {
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
