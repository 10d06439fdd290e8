// Generated from the OpenAPI document by `npm run docs:reference`; a test compares the two. Longer than 250 lines, because
// it is one table that nobody edits.
/** No parameter, and no body. */
interface Nothing {
  body?: undefined;
}

/** The record that a path names. */
interface ById {
  id: string;
}

interface Body<Content> {
  body: Content;
}

interface OptionalBody<Content> {
  body?: Content;
}

/** Which page of a list. */
interface PageQuery {
  cursor?: string;
  limit?: number;
}

/** One page of a list. */
interface Page<Item> {
  items: Item[];
  /** Opaque; null on the last page. */
  next_cursor: string | null;
  has_more: boolean;
  /** Exact up to 10,000, an estimate beyond. */
  total_count?: number;
}

/** Schemas of the OpenAPI document by name, without the prefix `Governance` and the suffix `Dto`. */
export interface Schemas {
  FieldError: {
    /** Path of the field in the body or query. */
    field: string;
    /** The fault, and how to correct it. */
    message: string;
  };
  ErrorBody: {
    error: 'bad_request' | 'unauthorized' | 'forbidden' | 'not_found' | 'conflict' | 'payload_too_large' | 'unsupported_media_type' | 'rate_limited' | 'internal' | 'unavailable';
    /** One sentence that says what to do. */
    message: string;
    /** The faulty fields, if there are any. */
    details?: Schemas['FieldError'][];
    /** Number of further faults; at most 50 are listed. */
    details_omitted?: number;
    request_id: string;
  };
  ProviderResponse: {
    id: string;
    org_id: string;
    /** Name in the path of calls: `/gateway/{name}/v1/…`. */
    name: string;
    /** API of the provider: `openai` and `anthropic` are those providers, `openai_compatible` is every other provider with OpenAI’s API. */
    kind: 'openai' | 'anthropic' | 'openai_compatible';
    /** Root of the provider, without `/v1`. */
    base_url: string;
    /** Whether the provider can be called. */
    active: boolean;
    has_api_key: boolean;
    api_key_set_at: string | null;
    created_at: string;
    updated_at: string;
  };
  ProviderSecrets: {
    /** The provider’s key; null removes it. */
    api_key?: string | null;
  };
  PutProvider: {
    /** API of the provider: `openai` and `anthropic` are those providers, `openai_compatible` is every other provider with OpenAI’s API. */
    kind: 'openai' | 'anthropic' | 'openai_compatible';
    /** Root of the provider, without `/v1`. */
    base_url: string;
    /** Encrypted, sent to the origin of `base_url` only, and never shown. */
    secrets?: Schemas['ProviderSecrets'];
    /** Whether the provider can be called. */
    active?: boolean;
  };
  DecisionRequest: {
    /** Id of the person. */
    user_id?: string;
    /** E-mail address of the person, compared without case. */
    user_email?: string;
    /** The provider’s name of the model. */
    model: string;
    /** Name of the provider. */
    provider: string;
    /** The device that sends the request, for conditions on device_status. */
    device_id?: string;
    /** Your own attributes; conditions refer to them as `attributes.<key>`. */
    attributes?: Record<string, string | number | boolean | null>;
    /** The project that the request belongs to. */
    project?: string | null;
    /** Up to 8 labels. */
    tags?: Record<string, string> | null;
    /** Estimated number of input tokens of the request. */
    estimated_input_tokens?: number;
    /** Maximum number of output tokens that the request allows. */
    max_output_tokens?: number;
    /** Tier that the request asks for, for the cost to reserve. */
    service_tier?: 'standard' | 'batch' | 'flex' | 'priority' | 'other';
    /** The provider's region that will serve the request, for the cost to reserve. */
    region?: string;
    /** A repeated key with the same body returns the same decision on every replica. */
    idempotency_key?: string;
  };
  ShownCondition: {
    attribute: string;
    operator: string;
    /** The operand in the policy. */
    operand?: string | number | boolean | unknown[] | Record<string, unknown> | null;
    /** The value from the directory or the request; null if it was missing. */
    value: string | number | boolean | unknown[] | Record<string, unknown> | null;
  };
  MatchedPolicy: {
    id: string;
    name: string;
    action: 'block' | 'require_approval' | 'alert' | 'allow';
    /** Version of the policy that matched. */
    version: number;
    /** The conditions that matched; empty if the policy has none. */
    matched_conditions: Schemas['ShownCondition'][];
  };
  ShownReservation: {
    /** The decision's id. */
    id: string;
    /** Upper estimate of the cost of the request, in US dollars. */
    amount_usd: number;
    expires_at: string;
  };
  ShownBudget: {
    id: string;
    name: string;
  };
  ShownLimit: {
    id: string;
    name: string;
  };
  DecisionResponse: {
    id: string;
    action: 'block' | 'require_approval' | 'alert' | 'allow';
    /** True for allow and alert. */
    allowed: boolean;
    reason: 'no_policy_matched' | 'policy' | 'user_suspended' | 'user_inactive' | 'unknown_user' | 'budget_exceeded' | 'rate_limited' | 'model_not_allowed' | 'approval_granted';
    /** Every matching policy. */
    policies: Schemas['MatchedPolicy'][];
    /** Only if a policy requires approval: the approval that an approver must decide. */
    approval_id?: string;
    /** Only if a blocking budget applies: the amount that is reserved until you report usage. */
    reservation?: Schemas['ShownReservation'];
    /** Only with the reason budget_exceeded: the budgets that are exhausted. */
    budgets?: Schemas['ShownBudget'][];
    /** Only with the reason rate_limited: the limits that are exhausted. */
    limits?: Schemas['ShownLimit'][];
    /** Only with the reason rate_limited: wait this many milliseconds before you retry. */
    retry_after_ms?: number;
    evaluated_at: string;
  };
  DecisionBatchRequest: {
    requests: Schemas['DecisionRequest'][];
  };
  DecisionBatchResponse: {
    /** In the order of the requests. */
    decisions: Schemas['DecisionResponse'][];
  };
  ReleaseResponse: {
    decision_id: string;
    /** The released amount in US dollars; 0 if the reservation was already settled or released, or has expired. */
    released_usd: number;
  };
  RecordedDecision: Schemas['DecisionResponse'] & {
    org_id: string;
    user_id: string | null;
    user_email: string | null;
    provider: string;
    model: string;
    /** Attributes of the person at that time. */
    attributes: Record<string, unknown>;
    idempotency_key: string | null;
    /** Share of such decisions that are recorded: this record represents 1 / sample_rate decisions. */
    sample_rate: number;
  };
  Winner: {
    id: string;
    version: number;
  };
  ExplainedPerson: {
    user_id: string | null;
    email: string | null;
    name: string | null;
    department: string | null;
    role: string | null;
    /** Null if the directory did not know the person. */
    status: string | null;
    /** The organization’s own attributes, and further ones of the request. */
    attributes: Record<string, unknown>;
  };
  ExplainedDevice: {
    id: string;
    /** The value of `device_status` in conditions. */
    status: string;
  };
  PolicyContent: {
    name: string;
    description: string | null;
    /** Null: all models. */
    model: string | null;
    action: 'block' | 'require_approval' | 'alert' | 'allow';
    /** The conditions as sent; the order of keys may differ. */
    conditions: Record<string, Record<string, unknown>>;
    enabled: boolean;
    /** Null: the default severity of the action. */
    severity: 'critical' | 'high' | 'medium' | 'low' | null;
  };
  ExplainedCondition: Schemas['ShownCondition'] & {
    /** Whether it held. */
    held: boolean;
  };
  PolicyAuthor: {
    /** Kind of credential. */
    kind: 'token' | 'jwt' | 'host' | 'cli';
    /** Id of the credential; never a secret. */
    id: string;
    name: string;
    /** The user that the credential belongs to. */
    user_id: string | null;
  };
  ExplainedPolicy: {
    id: string;
    /** Name of the policy at that time. */
    name: string;
    action: 'block' | 'require_approval' | 'alert' | 'allow';
    /** Version of the policy that matched. */
    version: number;
    /** Content of this version; null if the history does not reach back to it. */
    content: Schemas['PolicyContent'] | null;
    /** Every condition, with the value that it was compared with. */
    conditions: Schemas['ExplainedCondition'][];
    /** The kind of change that created this version. */
    change: 'created' | 'updated' | 'restored' | 'deleted' | null;
    changed_at: string | null;
    /** Author of this version. */
    changed_by: Schemas['PolicyAuthor'] | null;
  };
  UnmatchedPolicy: {
    id: string;
    /** Name of the policy at that time. */
    name: string;
    action: 'block' | 'require_approval' | 'alert' | 'allow';
    /** The version that was in force. */
    version: number;
    /** Why the policy did not match. */
    because: 'model' | 'condition' | 'not_evaluable' | 'not_recorded';
    /** The reason as a sentence. */
    message: string;
    /** The condition that did not hold. */
    condition?: Schemas['ShownCondition'];
  };
  UnmatchedPolicies: {
    /** Total number of policies. */
    total: number;
    /** The first 100, in the order in which decisions list policies. */
    items: Schemas['UnmatchedPolicy'][];
  };
  ExplainedDecision: {
    evaluated_at: string;
    provider: string;
    model: string;
    action: 'block' | 'require_approval' | 'alert' | 'allow';
    /** True for allow and alert. */
    allowed: boolean;
    reason: 'no_policy_matched' | 'policy' | 'user_suspended' | 'user_inactive' | 'unknown_user' | 'budget_exceeded' | 'rate_limited' | 'model_not_allowed' | 'approval_granted';
    /** What settled it. */
    decided_by: 'policy' | 'default_action' | 'person' | 'approval' | 'budget' | 'limit' | 'token';
    /** The policy that determined the action, if one did. */
    winner: Schemas['Winner'] | null;
    /** The person, with the attributes that the decision used. */
    person: Schemas['ExplainedPerson'];
    /** The device that the request named; null if it named none. */
    device: Schemas['ExplainedDevice'] | null;
    /** The first 100 policies that matched, the winner first. */
    policies: Schemas['ExplainedPolicy'][];
    /** How many matched. */
    policies_total: number;
    /** Policies that were in force and did not match. */
    not_matched: Schemas['UnmatchedPolicies'] | null;
    /** The approval that the decision requires. */
    approval_id?: string;
    /** The amount that the decision reserved in budgets. */
    reservation?: Schemas['ShownReservation'];
    /** The budgets that were exhausted. */
    budgets?: Schemas['ShownBudget'][];
  };
  PolicyNow: {
    id: string;
    /** State of the policy now, compared with the version that decided. */
    status: 'unchanged' | 'changed' | 'deleted' | 'unknown';
    /** The newest version in the history. */
    version: number | null;
    /** Whether the policy applies to decisions now. */
    in_force: boolean;
    changed_at: string | null;
    /** Author of the last change. */
    changed_by: Schemas['PolicyAuthor'] | null;
  };
  PersonNow: Schemas['ExplainedPerson'] & {
    /** Attributes that differ from the record, including those that the directory no longer has. */
    changed: string[];
  };
  ApprovalDecider: {
    /** `token`, `jwt`, `host` or `cli`. */
    kind: string;
    /** Id of the credential; never a secret. */
    id: string;
    name: string;
    /** The user that the credential belongs to. */
    user_id: string | null;
    /** Whether the credential belongs to a user. */
    person: boolean;
    /** The users or subjects who issued the credential, the last first. */
    issued_by?: string[];
    /** True if a service token created this credential, directly or through other tokens. */
    issued_by_nobody?: boolean;
  };
  ApprovalResponse: {
    id: string;
    org_id: string;
    /** The policy that requires the approval. */
    policy_id: string;
    /** Name of the policy when the approval was first requested. */
    policy_name: string;
    /** Id of the person, or the e-mail address of a person whom the directory does not know. */
    user_id: string;
    user_email: string | null;
    /** The provider of the first request. */
    provider: string;
    /** The model, exactly as requested. */
    model: string;
    /** As of now. */
    status: 'pending' | 'approved' | 'denied' | 'expired' | 'revoked';
    /** Number of decisions that were refused because this approval was missing. */
    requests: number;
    requested_at: string;
    last_requested_at: string;
    /** Time of the last approval, denial or revocation. */
    decided_at: string | null;
    /** Who did. */
    decided_by: Schemas['ApprovalDecider'] | null;
    /** What they said. */
    reason: string | null;
    /** Pending: the time when the request expires. */
    expires_at: string;
  };
  ChangedSince: {
    /** One entry per matching policy, in the order of `as_it_was`. */
    policies: Schemas['PolicyNow'][];
    /** The person in the directory now; null if the directory does not know them. */
    person: Schemas['PersonNow'] | null;
    /** The approvals that the decision required or used, with their current status. */
    approvals: Schemas['ApprovalResponse'][];
  };
  Explanation: {
    decision_id: string;
    /** One sentence for people, based on `as_it_was` only. */
    summary: string;
    /** False if the history does not reach back far enough. */
    complete: boolean;
    /** The decision as it was made; never changes. */
    as_it_was: Schemas['ExplainedDecision'];
    /** What has changed since. */
    since: Schemas['ChangedSince'];
  };
  PolicyHits: {
    policy_id: string;
    /** Name of the policy in its latest version. */
    name: string | null;
    /** Recorded decisions that the policy matched. */
    hits: number;
    /** Hits in which the policy determined the action, because no stricter one matched. */
    decided: number;
    /** Hits whose decision did not allow the call, for whatever reason. */
    refused: number;
    last_hit_at: string;
  };
  PolicyHitWindow: {
    policy_id: string;
    window_start: string;
    /** Exclusive. */
    window_end: string;
    /** Recorded decisions that the policy matched. */
    hits: number;
    /** Hits in which the policy determined the action, because no stricter one matched. */
    decided: number;
    /** Hits whose decision did not allow the call, for whatever reason. */
    refused: number;
    last_hit_at: string;
  };
  PolicyResponse: {
    id: string;
    org_id: string;
    name: string;
    description: string | null;
    /** Null: all models. */
    model: string | null;
    action: 'block' | 'require_approval' | 'alert' | 'allow';
    /** The conditions as sent; the order of keys may differ. */
    conditions: Record<string, Record<string, unknown>>;
    enabled: boolean;
    /** Null if the action raises no violation. */
    severity: 'critical' | 'high' | 'medium' | 'low' | null;
    /** Increases by one with each change. */
    version: number;
    created_at: string;
    updated_at: string;
  };
  CreatePolicy: {
    /** Name shown to people. */
    name: string;
    /** Free text. */
    description?: string | null;
    /** A model name, a pattern in which `*` matches any characters, or null for all models. */
    model?: string | null;
    /** What happens when the policy matches. */
    action: 'block' | 'require_approval' | 'alert' | 'allow';
    /** All of them must match: `{ <attribute>: { <operator>: <operand> } }`; `{}` matches every person. */
    conditions?: Record<string, Record<string, unknown>>;
    /** Disabled policies are not evaluated. */
    enabled?: boolean;
    /** Severity of its violations. */
    severity?: 'critical' | 'high' | 'medium' | 'low' | null;
  };
  UpdatePolicy: Partial<Schemas['CreatePolicy']>;
  PolicyVersionEntry: {
    policy_id: string;
    org_id: string;
    /** Increases by one with each change. */
    version: number;
    /** Name of the policy in this version. */
    name: string;
    /** What happened. */
    change: 'created' | 'updated' | 'restored' | 'deleted';
    /** Fields that differ from the previous version; empty for the first version and for a deletion. */
    changed_fields: ('name' | 'description' | 'model' | 'action' | 'conditions' | 'enabled' | 'severity')[];
    /** Only for the change `restored`: the version that was restored. */
    restored_version: number | null;
    changed_at: string;
    /** Who did it. */
    changed_by: Schemas['PolicyAuthor'];
  };
  PolicyVersion: Schemas['PolicyVersionEntry'] & {
    /** Content of this version; for a deletion, the last content. */
    content: Schemas['PolicyContent'];
  };
  JsonDifference: {
    /** A JSON pointer (RFC 6901) into the content. */
    path: string;
    /** Left out if the field did not exist before. */
    before?: string | number | boolean | unknown[] | Record<string, unknown> | null;
    /** Left out if the field no longer exists. */
    after?: string | number | boolean | unknown[] | Record<string, unknown> | null;
  };
  PolicyDiff: {
    policy_id: string;
    /** The version that `after` belongs to. */
    version: number;
    /** The version that `before` belongs to; null if the first version has no predecessor. */
    against: number | null;
    /** Lists are compared as a whole. */
    changes: Schemas['JsonDifference'][];
  };
  RestorePolicy: {
    /** The version to restore. */
    version: number;
  };
  ActionCounts: {
    /** `unavailable` (listed only if it occurs): no decision, because a policy names an operator that is no longer installed. */
    action: 'block' | 'require_approval' | 'alert' | 'allow' | 'unavailable';
    /** Number with the current policies. */
    before: number;
    /** With the draft. */
    after: number;
  };
  UserCounts: {
    /** Decisions that the draft matches. */
    matched: number;
    /** Decisions whose action differs. */
    changed: number;
    /** Cost in US dollars of the requests that are allowed now and would be refused. */
    cost_usd: number;
    user_id: string | null;
    user_email: string | null;
  };
  DepartmentCounts: {
    /** Decisions that the draft matches. */
    matched: number;
    /** Decisions whose action differs. */
    changed: number;
    /** Cost in US dollars of the requests that are allowed now and would be refused. */
    cost_usd: number;
    /** Department at the time of the decision; null for none. */
    department: string | null;
  };
  ModelCounts: {
    /** Decisions that the draft matches. */
    matched: number;
    /** Decisions whose action differs. */
    changed: number;
    /** Cost in US dollars of the requests that are allowed now and would be refused. */
    cost_usd: number;
    model: string;
  };
  OtherCounts: {
    /** Decisions that the draft matches. */
    matched: number;
    /** Decisions whose action differs. */
    changed: number;
    /** Cost in US dollars of the requests that are allowed now and would be refused. */
    cost_usd: number;
    /** Number of entries that are not listed. */
    keys: number;
  };
  Others: {
    /** Null if all entries are listed. */
    by_user: Schemas['OtherCounts'] | null;
    /** Null if all entries are listed. */
    by_department: Schemas['OtherCounts'] | null;
    /** Null if all entries are listed. */
    by_model: Schemas['OtherCounts'] | null;
  };
  SampledOutcome: {
    action: 'block' | 'require_approval' | 'alert' | 'allow' | 'unavailable';
    /** Null with `unavailable`. */
    reason: 'no_policy_matched' | 'policy' | 'user_suspended' | 'user_inactive' | 'unknown_user' | 'budget_exceeded' | 'rate_limited' | 'model_not_allowed' | 'approval_granted' | null;
  };
  SampledDecision: {
    decision_id: string;
    evaluated_at: string;
    user_id: string | null;
    user_email: string | null;
    department: string | null;
    provider: string;
    model: string;
    /** Outcome with the current policies. */
    before: Schemas['SampledOutcome'];
    /** With the draft. */
    after: Schemas['SampledOutcome'];
    /** Why the draft matches. */
    matched_conditions: Schemas['ShownCondition'][];
  };
  SimulatedUsage: {
    /** First day, UTC. */
    from: string;
    /** Last day, UTC. */
    to: string;
    /** Number of reported requests. */
    requests: number;
    /** Requests of people whom the draft policy matches, by the attributes that they have today. */
    matched_requests: number;
    /** Allowed by the current policies, refused with the draft. */
    refused_requests: number;
    /** Cost of these requests in US dollars. */
    refused_cost_usd: number;
  };
  SimulationResponse: {
    from: string;
    to: string;
    /** Recorded decisions that were evaluated again. */
    evaluated: number;
    /** Decisions that the draft matches. */
    matched: number;
    /** Decisions whose action differs. */
    changed: number;
    /** Allowed by the current policies, refused with the draft. */
    newly_refused: number;
    /** Refused by the current policies, allowed with the draft. */
    newly_allowed: number;
    /** Cost in US dollars of the requests that are allowed now and would be refused. */
    cost_usd: number;
    /** Whether records are sampled now, or some of these are samples. */
    estimated: boolean;
    /** Number of decisions by action. */
    by_action: Schemas['ActionCounts'][];
    /** The 100 people with the most changes, then with the most matches. */
    by_user: Schemas['UserCounts'][];
    /** The same by department. */
    by_department: Schemas['DepartmentCounts'][];
    /** The same by model. */
    by_model: Schemas['ModelCounts'][];
    /** Totals of the entries that are not listed. */
    others: Schemas['Others'];
    /** The newest 20 decisions whose action differs. */
    sample: Schemas['SampledDecision'][];
    /** Reported usage of the same number of days, evaluated with the current attributes of the people. */
    usage: Schemas['SimulatedUsage'] | null;
  };
  SimulationRequest: {
    /** The draft, with the fields of `POST /v1/policies`. */
    policy: Schemas['UpdatePolicy'];
    /** The stored policy that the draft replaces. */
    policy_id?: string;
    /** Number of days to look back. */
    days?: number;
  };
  Approve: {
    /** End of the grant: in the future, at most 90 days from now. */
    expires_at?: string;
    /** The reason, shown to the person and kept in the audit log. */
    reason?: string;
  };
  Deny: {
    /** The reason, shown to the person and kept in the audit log. */
    reason?: string;
  };
  Revoke: {
    /** The reason, shown to the person and kept in the audit log. */
    reason?: string;
  };
  UsageEvent: {
    /** Idempotency key: the event counts once, even if you send it again. */
    id: string;
    /** Id of the user. */
    user_id?: string;
    /** E-mail address of the user, compared without case. */
    user_email?: string;
    provider: string;
    model: string;
    /** At most 90 days ago and 5 minutes ahead. */
    occurred_at: string;
    /** All prompt tokens, cached ones included. */
    input_tokens?: number;
    /** All completion tokens, reasoning included. */
    output_tokens?: number;
    /** Input tokens read from a cache. */
    cache_read_tokens?: number;
    /** Input tokens written to a cache. */
    cache_write_tokens?: number;
    /** Output tokens used for reasoning. */
    reasoning_tokens?: number;
    /** The unchanged usage object of the provider's answer, instead of token counts. */
    usage?: Record<string, unknown>;
    /** Form of usage: chat, responses, anthropic, … */
    api_flavor?: string;
    /** Number of requests that the event covers. */
    requests?: number;
    /** The tier that served the request. */
    service_tier?: 'standard' | 'batch' | 'flex' | 'priority' | 'other';
    /** The provider's region that served the request. */
    region?: string;
    /** What it cost, from 0 to 1000000 US dollars, if you know the cost better than the catalogue does. */
    cost_usd?: number | string;
    /** The decision that allowed the request. */
    decision_id?: string;
    /** Project of the usage; reports and budgets group by it. */
    project?: string | null;
    /** Up to 8 labels to group by; keys are 1 to 63 letters, digits and `_ . / : -`. */
    tags?: Record<string, string> | null;
    /** At most 16 KiB, 8 levels deep. */
    metadata?: Record<string, unknown>;
  };
  UsageBatch: {
    events: Schemas['UsageEvent'][];
  };
  RejectedEvent: {
    /** Position in the batch, starting at 0. */
    index: number;
    /** Id of the event; null if it is missing or invalid, and if the message is `same`. */
    id: string | null;
    /** The invalid field. */
    field: string;
    /** What to change. */
    message: string;
  };
  UsageNote: {
    /** Position in the batch, starting at 0. */
    index: number;
    /** The project or tag. */
    field: string;
    /** How the stored event counts, and how to correct it. */
    message: string;
  };
  UsageReceipt: {
    accepted: number;
    /** Number of events that were already stored with the same content. */
    duplicates: number;
    rejected: Schemas['RejectedEvent'][];
    /** Stored events whose project or tags count as `(other)` in reports, at most 10. */
    notes?: Schemas['UsageNote'][];
  };
  EventAdjustment: {
    rerating_id: string;
    /** Change of the cost in US dollars; negative if the event became cheaper. */
    cost_delta_usd: number;
    /** Change of the cost before contract discounts. */
    list_cost_delta_usd: number;
    /** Change in the number of requests without a known price; negative if they have one now. */
    unpriced_delta: number;
    price_source: string | null;
    price_version: string | null;
    created_at: string;
  };
  StoredUsageEvent: {
    id: string;
    user_id: string;
    provider: string;
    model: string;
    occurred_at: string;
    received_at: string;
    /** All prompt tokens, cached ones included. */
    input_tokens: number;
    /** All completion tokens, reasoning included. */
    output_tokens: number;
    /** Input tokens read from a cache. */
    cache_read_tokens: number;
    /** Input tokens written to a cache. */
    cache_write_tokens: number;
    /** Output tokens used for reasoning. */
    reasoning_tokens: number;
    requests: number;
    /** The tier that served the request. */
    service_tier: 'standard' | 'batch' | 'flex' | 'priority' | 'other';
    /** The provider's region. */
    region: string | null;
    /** US dollars; null if the model has no known price for the tier. */
    cost_usd: number | null;
    /** The same before contract discounts. */
    list_cost_usd: number | null;
    /** Source of the price: the name of a catalogue, `override` for your own price, `stated` if the sender stated it. */
    price_source: string | null;
    /** Version of the catalogue or of your own price. */
    price_version: string | null;
    decision_id: string | null;
    /** The user's department when the usage happened. */
    department: string | null;
    project: string | null;
    /** Tags as sent, even if reports count a value as `(other)`. */
    tags: Record<string, string> | null;
    /** The access token that asked for the decision; without one, the token that reported the usage. */
    token_id: string | null;
    /** Other billed units, such as searches. */
    units: Record<string, unknown> | null;
    metadata: Record<string, unknown> | null;
    /** Cost in reports, in US dollars: cost_usd plus all adjustments. */
    adjusted_cost_usd: number | null;
    /** Adjustments by re-ratings, oldest first. */
    adjustments: Schemas['EventAdjustment'][];
  };
  DaysWithoutRate: {
    first_day: string;
    /** Inclusive. */
    last_day: string;
  };
  SeriesPoint: {
    /** Hourly `2026-11-20T13:00:00+01:00` (`…Z` in UTC), daily `2026-11-20`, weekly (ISO 8601) `2026-W47`, monthly `2026-11`. */
    period: string;
    /** Of costs: US dollars, the number nearest to the exact sum; null if there were requests and none of them has a known price. */
    value: number | null;
    /** Requests without a known price. */
    unpriced_requests: number;
    /** The cost in `currency`: the number nearest to the exact sum. */
    cost_converted?: number | null;
  };
  SeriesGroup: {
    /** The value of the dimension, or a list of two values if you group by two. */
    key: string | (string | null)[] | null;
    /** E-mail address of the user, if you group by user and the user exists. */
    user_email: string | null;
    /** Of costs: US dollars, the number nearest to the exact sum; null if there were requests and none of them has a known price. */
    total: number | null;
    unpriced_requests: number;
    /** The cost in `currency`: the number nearest to the exact sum. */
    cost_converted?: number | null;
    points: Schemas['SeriesPoint'][];
  };
  SeriesOther: {
    /** Number of groups in this sum. */
    groups: number;
    /** Of costs: US dollars, the number nearest to the exact sum; null if there were requests and none of them has a known price. */
    total: number | null;
    unpriced_requests: number;
    /** The cost in `currency`: the number nearest to the exact sum. */
    cost_converted?: number | null;
    points: Schemas['SeriesPoint'][];
  };
  UsageSeries: {
    group_by: string[];
    metric: string;
    period: string;
    /** IANA name. */
    time_zone: string;
    /** Only if you ask for a currency. */
    currency?: string;
    /** The days without an exchange rate: those before the first one. */
    without_rate?: Schemas['DaysWithoutRate'] | null;
    /** The largest first. */
    groups: Schemas['SeriesGroup'][];
    /** The sum of the other groups; null if all groups are shown. */
    other: Schemas['SeriesOther'] | null;
    /** Total of all usage, including groups that are not shown. */
    total: number | null;
    /** Of all usage. */
    unpriced_requests: number;
    /** The cost in `currency`: the number nearest to the exact sum. */
    cost_converted?: number | null;
    /** Of all usage. */
    points: Schemas['SeriesPoint'][];
  };
  UsageLine: Schemas['UsageFigures'] & {
    /** As in a series. */
    period: string;
    /** The value of each dimension; null for the sum of the groups that are not shown. */
    group: Record<string, string | null> | null;
    /** Only if you group by user. */
    user_email: string | null;
  };
  UsageFigures: {
    /** Requests. */
    total_requests: number;
    /** Input tokens, cached ones included. */
    total_input_tokens: number;
    /** Output tokens, reasoning included. */
    total_output_tokens: number;
    /** US dollars: the number nearest to the exact decimal sum; null if there were requests and none of them has a known price. */
    estimated_cost_usd: number | null;
    /** Input tokens read from a cache. */
    cache_read_tokens: number;
    /** Input tokens written to a cache. */
    cache_write_tokens: number;
    /** Output tokens used for reasoning. */
    reasoning_tokens: number;
    /** Requests whose model has no known price. */
    unpriced_requests: number;
    /** The cost before contract discounts, in US dollars. */
    list_cost_usd: number | null;
    /** The cost in `currency`: the number nearest to the exact sum. */
    cost_converted?: number | null;
  };
  UsageBreakdown: {
    /** IANA name. */
    time_zone: string;
    /** Only if you ask for a currency. */
    currency?: string;
    /** The days without an exchange rate: those before the first one. */
    without_rate?: Schemas['DaysWithoutRate'] | null;
    /** By period, the largest group first, the sum of the other groups last. */
    lines: Schemas['UsageLine'][];
    /** Totals of all usage, including groups that are not shown. */
    totals: Schemas['UsageFigures'];
  };
  Facet: {
    of: string;
    /** Ordered by code point, at most 1,000. */
    values: string[];
    /** Whether there are more values. */
    has_more: boolean;
  };
  Facets: {
    facets: Schemas['Facet'][];
  };
  UsageSummary: {
    /** User who made the requests. */
    user_id: string;
    /** Absent if the user no longer exists. */
    user_email?: string;
    model: string;
    provider: string;
    /** Hourly `2026-11-20T13:00:00Z`, daily `2026-11-20`, weekly (ISO 8601) `2026-W47`, monthly `2026-11`; UTC. */
    period: string;
    /** Requests in the period. */
    total_requests: number;
    /** Input tokens, cached ones included. */
    total_input_tokens: number;
    /** Output tokens, reasoning included. */
    total_output_tokens: number;
    /** US dollars by the prices in force when the requests happened: the number nearest to the exact decimal sum. */
    estimated_cost_usd: number;
    /** Input tokens read from a cache. */
    cache_read_tokens: number;
    /** Input tokens written to a cache. */
    cache_write_tokens: number;
    /** Output tokens used for reasoning. */
    reasoning_tokens: number;
    /** Requests whose model has no known price. */
    unpriced_requests: number;
    /** The cost before contract discounts, in US dollars. */
    list_cost_usd: number;
    /** Only if you ask for a currency. */
    currency?: string;
    /** The cost in `currency`: the number nearest to the exact sum. */
    cost_converted?: number | null;
    /** The days without an exchange rate: those before the first one. */
    without_rate?: Schemas['DaysWithoutRate'] | null;
  };
  BeginRerating: {
    /** First day, inclusive, UTC. */
    start_date: string;
    /** Last day, inclusive, UTC. */
    end_date: string;
    /** Provider as events name it, compared without case. */
    provider?: string | null;
    /** Model name or a pattern with `*`, compared without case. */
    model?: string | null;
  };
  ReratingResponse: {
    id: string;
    /** `failed`: the run stopped. */
    status: 'pending' | 'running' | 'done' | 'failed';
    start_date: string;
    end_date: string;
    provider: string | null;
    model: string | null;
    /** Events in the range, for this provider and model, whose sender did not state a cost. */
    events_examined: number;
    /** Number of those events whose cost has changed. */
    events_adjusted: number;
    /** Change of the cost in US dollars; negative if the usage became cheaper. */
    adjustment_usd: number;
    created_at: string;
    finished_at: string | null;
  };
  UnpricedModel: {
    provider: string;
    model: string;
    /** Requests without a known price. */
    unpriced_requests: number;
    /** First day with such a request, UTC. */
    first_day: string;
    /** Last day with such a request. */
    last_day: string;
    /** Input tokens of the usage without a price. */
    input_tokens: number;
    /** Output tokens, counted in the same way. */
    output_tokens: number;
  };
  AliasTarget: {
    provider: string;
    model: string;
  };
  PutPrice: {
    /** Provider as events name it, compared without case. */
    provider?: string | null;
    /** Model name or a pattern with `*`, compared without case. */
    model: string;
    /** Price the model like this catalogue model, instead of stating prices. */
    alias?: Schemas['AliasTarget'] | null;
    /** US dollars per million input tokens. */
    input_per_million_usd?: number | string | null;
    /** US dollars per million output tokens. */
    output_per_million_usd?: number | string | null;
    /** Default: the input price. */
    cache_read_per_million_usd?: number | string | null;
    /** Default: the input price. */
    cache_write_per_million_usd?: number | string | null;
    /** Default: the output price. */
    reasoning_per_million_usd?: number | string | null;
    /** Tier that the price is for. */
    service_tier?: 'standard' | 'batch' | 'flex' | 'priority' | 'other';
    /** Provider's region that the price is for, compared without case. */
    region?: string | null;
    /** Time from which the price applies. */
    effective_from?: string | null;
  };
  PriceResponse: {
    id: string;
    org_id: string;
    /** Null: every provider. */
    provider: string | null;
    model: string;
    alias: Schemas['AliasTarget'] | null;
    input_per_million_usd: number | null;
    output_per_million_usd: number | null;
    cache_read_per_million_usd: number | null;
    cache_write_per_million_usd: number | null;
    reasoning_per_million_usd: number | null;
    /** Tier that the price is for; aliases are for all tiers. */
    service_tier: 'standard' | 'batch' | 'flex' | 'priority' | 'other';
    /** Null: every region. */
    region: string | null;
    effective_from: string | null;
    /** Grows with each change. */
    version: number;
    created_at: string;
    updated_at: string;
  };
  PutDiscount: {
    /** Provider as events name it, compared without case. */
    provider?: string | null;
    /** Model name or a pattern with `*`, compared without case. */
    model?: string;
    /** Percent off the price, from 0 to 100. 0 exempts models from a less specific discount. */
    percent_off: number | string;
    /** Time from which the discount applies. */
    effective_from?: string | null;
    /** Time at which the discount ends, exclusive. */
    effective_until?: string | null;
  };
  DiscountResponse: {
    id: string;
    org_id: string;
    /** Null: every provider. */
    provider: string | null;
    model: string;
    percent_off: number;
    effective_from: string | null;
    /** Exclusive. */
    effective_until: string | null;
    /** Grows with each change. */
    version: number;
    created_at: string;
    updated_at: string;
  };
  PutExchangeRate: {
    /** ISO 4217 code of the currency. */
    currency: string;
    /** Day from which the rate counts, until that of the next rate. */
    date: string;
    /** Units of the currency per US dollar. */
    rate: string | number;
  };
  ExchangeRateResponse: {
    id: string;
    org_id: string;
    currency: string;
    date: string;
    /** Units of the currency per US dollar: exact decimal text. */
    rate: string;
    created_at: string;
    updated_at: string;
  };
  CreateBudget: {
    /** A label for people. */
    name: string;
    /** Spending that the budget limits: one word, or an object of conditions that must all hold, such as `{ "department": "Sales", "project": "copilot", "model": "gpt-5*" }`. */
    scope: 'organization' | 'department' | 'user' | 'model' | Record<string, string>;
    /** Each user, department, project or token that the scope covers has the amount. */
    split_by?: 'user' | 'department' | 'project' | 'token' | null;
    /** Shares of the amount at which `budget_warning` is sent, ascending. */
    alert_thresholds?: number[] | null;
    /** Exact name of the department in the directory. */
    department?: string | null;
    /** A user of the organization. */
    user_id?: string | null;
    /** Name or pattern with `*`, compared without case. */
    model?: string | null;
    /** US dollars per window; at most 12 decimals. */
    amount_usd: number;
    /** Of windows in the time zone of the organization. */
    period: 'daily' | 'weekly' | 'monthly' | 'quarterly' | 'yearly';
    /** `notify` tells people at 80 and 100 %, or at thresholds of your own; `block` also refuses requests that do not fit. */
    enforcement: 'notify' | 'block';
  };
  BudgetResponse: {
    id: string;
    org_id: string;
    name: string;
    /** One word, or conditions that must all hold. */
    scope: 'organization' | 'department' | 'user' | 'model' | Record<string, string>;
    /** Null with any other scope. */
    department: string | null;
    /** Null with any other scope. */
    user_id: string | null;
    /** Null with any other scope. */
    model: string | null;
    /** Only if the budget is split. */
    split_by?: 'user' | 'department' | 'project' | 'token';
    /** Only if they differ from 0.8: shares of the amount at which `budget_warning` is sent. */
    alert_thresholds?: number[];
    /** US dollars per window; for each part if the budget is split. */
    amount_usd: number;
    period: 'daily' | 'weekly' | 'monthly' | 'quarterly' | 'yearly';
    enforcement: 'notify' | 'block';
    /** First instant of the window. */
    window_start: string;
    /** First instant after the window. */
    window_end: string;
    /** Cost of the usage that was reported in the window. */
    spent_usd: number | null;
    /** Reserved for allowed requests whose usage is not reported yet. 0 with `notify`. */
    reserved_usd: number | null;
    /** The amount that is neither spent nor reserved; never below 0. */
    remaining_usd: number | null;
    /** Time at which spending reaches the amount at its pace since the window began; null if not within the window. */
    projected_exhaustion: string | null;
    created_at: string;
    updated_at: string;
  };
  UpdateBudget: {
    /** A label for people. */
    name?: string;
    /** US dollars per window; at most 12 decimals. */
    amount_usd?: number;
    /** `notify` tells people at 80 and 100 %, or at thresholds of your own; `block` also refuses requests that do not fit. */
    enforcement?: 'notify' | 'block';
    /** Shares of the amount at which `budget_warning` is sent, ascending. */
    alert_thresholds?: number[] | null;
    /** Cannot be changed; you may send the current value. */
    scope?: 'organization' | 'department' | 'user' | 'model' | Record<string, string>;
    /** Cannot be changed; you may send the current value. */
    split_by?: 'user' | 'department' | 'project' | 'token' | null;
    /** Cannot be changed; you may send the current value. */
    department?: string | null;
    /** Cannot be changed; you may send the current value. */
    user_id?: string | null;
    /** Cannot be changed; you may send the current value. */
    model?: string | null;
    /** Cannot be changed; you may send the current value. */
    period?: 'daily' | 'weekly' | 'monthly' | 'quarterly' | 'yearly';
  };
  BudgetPart: {
    budget_id: string;
    /** The id of the user or token, or the name of the department or project. */
    part: string;
    /** US dollars per window: the own amount of the part, or the amount of the budget. */
    amount_usd: number;
    window_start: string;
    window_end: string;
    spent_usd: number;
    reserved_usd: number;
    remaining_usd: number;
  };
  BudgetAlert: {
    /** Type of the event. */
    type: 'budget_warning' | 'budget_exceeded';
    /** Share of the amount that was reached. */
    threshold: number;
    /** Amount when it was sent. */
    amount_usd: number;
    /** Spending when it was sent. */
    spent_usd: number;
    /** Id of the event. */
    event_id: string;
    sent_at: string;
  };
  BudgetWindow: {
    budget_id: string;
    /** Part of a split budget; empty for requests without a value. */
    part: string | null;
    window_start: string;
    /** Exclusive. */
    window_end: string;
    /** Amount at the end of the window; for the current window, the amount now. */
    amount_usd: number;
    spent_usd: number;
    /** Reserved for allowed requests whose usage is not reported yet. */
    reserved_usd: number;
    /** Alerts that the window sent, the oldest first. */
    alerts: Schemas['BudgetAlert'][];
  };
  BudgetOverride: {
    /** The id of the user or token, or the name of the department or project. */
    part: string;
    /** US dollars per window; null to use the amount of the budget. */
    amount_usd: number | null;
  };
  CreateLimit: {
    /** A label for people. */
    name: string;
    /** Requests to limit: one word, or an object of conditions that must all hold. */
    scope: 'organization' | 'department' | 'user' | 'model' | Record<string, string>;
    /** Required with the scope `department`. */
    department?: string | null;
    /** Required with the scope `user`. */
    user_id?: string | null;
    /** Required with the scope `model`. */
    model?: string | null;
    /** Gives each user, department, project or token in the scope its own limit. */
    split_by?: 'user' | 'department' | 'project' | 'token' | null;
    /** Requests in any 60 seconds; null for no limit. */
    requests_per_minute?: number | null;
    /** Tokens that requests state in any 60 seconds: input plus maximum output. */
    tokens_per_minute?: number | null;
    /** Open requests: those whose usage is not reported yet. */
    concurrent_requests?: number | null;
  };
  LimitResponse: {
    id: string;
    org_id: string;
    name: string;
    /** One word, or conditions that must all hold. */
    scope: 'organization' | 'department' | 'user' | 'model' | Record<string, string>;
    /** Null with any other scope. */
    department: string | null;
    /** Null with any other scope. */
    user_id: string | null;
    /** Null with any other scope. */
    model: string | null;
    split_by: 'user' | 'department' | 'project' | 'token' | null;
    /** Requests in any 60 seconds; null for no limit. */
    requests_per_minute: number | null;
    /** Tokens that requests state in any 60 seconds: input plus maximum output. */
    tokens_per_minute: number | null;
    /** Open requests: those whose usage is not reported yet. */
    concurrent_requests: number | null;
    created_at: string;
    updated_at: string;
  };
  LimitPart: {
    limit_id: string;
    /** Id or name of the part. */
    part: string;
    /** Requests of the last minute, including those that replicas have claimed in advance. */
    requests: number;
    /** Tokens of the last minute, including those that replicas have claimed in advance. */
    tokens: number;
    /** Open requests, including slots that replicas have leased. */
    concurrent: number;
  };
  UpdateLimit: {
    /** A label for people. */
    name?: string;
    /** Requests in any 60 seconds; null for no limit. */
    requests_per_minute?: number | null;
    /** Tokens that requests state in any 60 seconds: input plus maximum output. */
    tokens_per_minute?: number | null;
    /** Open requests: those whose usage is not reported yet. */
    concurrent_requests?: number | null;
    /** Cannot be changed; you may send the current value. */
    scope?: 'organization' | 'department' | 'user' | 'model' | Record<string, string>;
    /** Cannot be changed; you may send the current value. */
    split_by?: 'user' | 'department' | 'project' | 'token' | null;
    /** Cannot be changed; you may send the current value. */
    department?: string | null;
    /** Cannot be changed; you may send the current value. */
    user_id?: string | null;
    /** Cannot be changed; you may send the current value. */
    model?: string | null;
  };
  ReservedWindow: {
    budget_id: string;
    /** First instant of the window. */
    window_start: string;
  };
  ReservationResponse: {
    decision_id: string;
    /** US dollars, in each of the windows. */
    amount_usd: number;
    /** The budget windows in which the money is reserved. */
    budgets: Schemas['ReservedWindow'][];
    /** The user who made the request. */
    user_id: string;
    provider: string;
    model: string;
    created_at: string;
    /** Time at which the reservation expires, unless usage is reported. */
    expires_at: string;
  };
  ExtendedReservation: {
    decision_id: string;
    /** Time at which the reservation expires, unless usage is reported or it is extended again. */
    expires_at: string;
  };
  OpenPasses: {
    /** Calls that passed without governance since this process started. */
    passes: number;
    first_at: string | null;
    last_at: string | null;
    /** The failed step of the last such call, and the reason. */
    last_reason: string | null;
  };
  EvaluationSubject: {
    type: 'user';
    /** UUID or e-mail address of the person. */
    id: string;
  };
  EvaluationAction: {
    /** Policies find it as `attributes.action`. */
    name: string;
  };
  EvaluationResource: {
    /** `model`, or any other type, such as `tool`. */
    type: string;
    /** The model as policies name it. */
    id: string;
    /** `provider`: the provider. */
    properties?: Record<string, unknown>;
  };
  Evaluation: {
    subject: Schemas['EvaluationSubject'];
    action: Schemas['EvaluationAction'];
    resource: Schemas['EvaluationResource'];
    /** `device_id`, `estimated_input_tokens`, `max_output_tokens` and `idempotency_key` are those of a decision. */
    context?: Record<string, unknown>;
  };
  EvaluationAnswer: {
    /** True if the action of the decision is allow or alert. */
    decision: boolean;
    /** The decision: `id`, `action`, `reason`, `policies`, `evaluated_at`, and where it has them `approval_id`, `reservation` and `budgets`. */
    context: Record<string, unknown>;
  };
  EvaluationBatchAnswer: {
    /** In the order of the evaluations. */
    evaluations: Schemas['EvaluationAnswer'][];
  };
  BatchedEvaluation: {
    subject?: Schemas['EvaluationSubject'];
    action?: Schemas['EvaluationAction'];
    resource?: Schemas['EvaluationResource'];
    context?: Record<string, unknown>;
  };
  EvaluationOptions: {
    evaluations_semantic?: 'execute_all' | 'deny_on_first_deny' | 'permit_on_first_permit';
  };
  EvaluationBatch: Schemas['BatchedEvaluation'] & {
    /** If it is missing or empty, the body itself is evaluated and answered as one evaluation. */
    evaluations?: Schemas['BatchedEvaluation'][];
    options?: Schemas['EvaluationOptions'];
  };
  ClaudeCodeHook: {
    /** `PreToolUse` and `UserPromptSubmit` are decided about; any other event is answered with `{}`. */
    hook_event_name: string;
    /** The model of the decision; its provider is `tool`. */
    tool_name?: string;
    /** Read only with `tool_input=attributes`. */
    tool_input?: Record<string, unknown>;
    /** The same call is decided once. */
    tool_use_id?: string;
    /** Used for the token estimate; not stored. */
    prompt?: string;
    /** An attribute for conditions. */
    permission_mode?: string;
  };
  ClaudeCodePermission: {
    hookEventName: 'PreToolUse';
    permissionDecision: 'allow' | 'deny' | 'ask';
    permissionDecisionReason: string;
  };
  ClaudeCodeAnswer: {
    /** Only if a tool call is decided. */
    hookSpecificOutput?: Schemas['ClaudeCodePermission'];
    /** Only if a prompt is refused. */
    decision?: 'block';
    /** Only beside `decision`. */
    reason?: string;
  };
  LitellmGuardrail: {
    /** `response` is always passed. */
    input_type: 'request' | 'response';
    /** The person is the first of `user_api_key_user_email`, `user_api_key_user_id` and `user_api_key_end_user_id` that is an e-mail address or a UUID. */
    request_data?: Record<string, unknown>;
    /** Newer versions of LiteLLM name the model here. */
    model?: string;
    /** Links the decision with the log entry of the call. */
    litellm_call_id?: string;
    /** Used for the token estimate; not stored. */
    texts?: string[];
    /** `provider`, `model` where LiteLLM names none, and `on_missing_model`: `decide` (default) or `block`. */
    additional_provider_specific_params?: Record<string, unknown>;
  };
  LitellmGuardrailAnswer: {
    action: 'NONE' | 'BLOCKED';
    /** Only with BLOCKED. */
    blocked_reason?: string;
  };
  LitellmRejectedEntry: {
    /** Place in the request, from 0. */
    index: number;
    id: string | null;
    /** The field at fault. */
    field: string;
    message: string;
  };
  LitellmLogReceipt: {
    accepted: number;
    /** Entries that were stored before. */
    duplicates: number;
    /** Failed calls, and answers from the cache of LiteLLM. */
    ignored: number;
    rejected: Schemas['LitellmRejectedEntry'][];
  };
  OtlpTraces: {
    /** As in OTLP 1.x (JSON). */
    resourceSpans: Record<string, unknown>[];
  };
  OtlpPartialSuccess: {
    /** Number of rejected items, as a string. */
    rejectedSpans: string;
    errorMessage: string;
  };
  OtlpTracesAnswer: {
    /** Only if something was rejected. */
    partialSuccess?: Schemas['OtlpPartialSuccess'];
  };
  OtlpLogs: {
    /** As in OTLP 1.x (JSON). */
    resourceLogs: Record<string, unknown>[];
  };
  OtlpPartialLogs: {
    /** Number of rejected items, as a string. */
    rejectedLogRecords: string;
    errorMessage: string;
  };
  OtlpLogsAnswer: {
    /** Only if something was rejected. */
    partialSuccess?: Schemas['OtlpPartialLogs'];
  };
  OtlpMetrics: {
    /** As in OTLP 1.x (JSON). */
    resourceMetrics: Record<string, unknown>[];
  };
  OtlpPartialMetrics: {
    /** Number of rejected items, as a string. */
    rejectedDataPoints: string;
    errorMessage: string;
  };
  OtlpMetricsAnswer: {
    /** Only if something was rejected. */
    partialSuccess?: Schemas['OtlpPartialMetrics'];
  };
  LineError: {
    /** The column, or `line` if the whole line is invalid. */
    field: string;
    message: string;
  };
  ImportedLine: {
    /** Number of the line in the file. */
    line: number;
    /** E-mail address as written in the line. */
    email: string | null;
    outcome: 'created' | 'updated' | 'unchanged' | 'refused';
    /** Faults of the line, if it is refused. */
    errors: Schemas['LineError'][];
  };
  UserImportReport: {
    /** Whether this was a dry run, which changes nothing. */
    dry_run: boolean;
    created: number;
    updated: number;
    unchanged: number;
    refused: number;
    /** Every line except the header, in the order of the file. */
    lines: Schemas['ImportedLine'][];
    /** Number of lines that the report omits. */
    lines_omitted?: number;
  };
  UserResponse: {
    id: string;
    org_id: string;
    email: string;
    name: string;
    department: string | null;
    /** Role in the organization, as the organization names it. */
    role: string;
    /** Suspended: LLM access was revoked. */
    status: 'active' | 'inactive' | 'suspended';
    /** Causes of the suspension; empty unless suspended. */
    suspension_causes: ('offboarding' | 'scim')[];
    /** Null unless suspended. */
    suspended_at: string | null;
    /** Departure date as given: `YYYY-MM-DD` or a time. */
    departure_date: string | null;
    /** The instant of `departure_date`. */
    departs_at: string | null;
    /** Reason of the departure. */
    departure_reason: string | null;
    /** The organization's own attributes, one level deep; conditions name them as `attributes.<key>`. */
    attributes: Record<string, unknown>;
    /** Most recent LLM activity; null if none is recorded. */
    last_active_at: string | null;
    created_at: string;
    updated_at: string;
  };
  CreateUser: {
    /** Unique in the organization, compared without case. */
    email: string;
    name: string;
    department?: string | null;
    role?: string;
    status?: 'active' | 'inactive';
    /** The organization's own attributes, one level deep; conditions name them as `attributes.<key>`. */
    attributes?: Record<string, unknown>;
  };
  UpdateUser: {
    /** Unique in the organization, compared without case. */
    email?: string;
    name?: string;
    department?: string | null;
    role?: string;
    /** Either active or inactive. */
    status?: 'active' | 'inactive' | 'suspended';
    /** The organization's own attributes, one level deep; conditions name them as `attributes.<key>`. */
    attributes?: Record<string, unknown>;
  };
  OffboardUser: {
    /** When access ends: a time, or a day, which begins in the organization's time zone. */
    departure_date?: unknown;
    /** Reason; stored with the user and sent with `user_locked_out`. */
    reason?: string;
    /** Revoke the tokens of the roles agent and scim that the user created, when access ends. */
    revoke_machine_tokens?: boolean;
  };
  MachineToken: {
    id: string;
    name: string;
    role: 'agent' | 'scim';
    created_at: string;
    expires_at: string | null;
    /** Whether this request revoked the token. */
    revoked: boolean;
  };
  OffboardedUser: Schemas['UserResponse'] & {
    /** Tokens of the roles agent and scim that the user created, also indirectly, newest first, at most 100. */
    machine_tokens: Schemas['MachineToken'][] | null;
    /** Number of machine tokens. */
    machine_tokens_total: number | null;
  };
  NoDetails: Record<string, unknown>;
  EraseUser: {
    /** Further e-mail addresses and names of the person, such as a former address that the audit log no longer has. */
    also?: string[];
  };
  ErasedUser: {
    id: string;
    /** Time of the first request. */
    erased_at: string;
    /** Rows that this request deleted or changed, by table. */
    rows: Record<string, unknown>;
  };
  ScimList: {
    schemas: string[];
    /** Exact number of results. */
    totalResults: number;
    /** Position of the first result on this page. */
    startIndex: number;
    /** Number of results on this page. */
    itemsPerPage: number;
    /** The resources. */
    Resources: Record<string, unknown>[];
  };
  ScimError: {
    schemas: string[];
    /** The HTTP status. */
    status: string;
    /** Error type of RFC 7644. */
    scimType?: string;
    /** A message for people. */
    detail: string;
  };
  ScimSearch: {
    schemas: string[];
    /** A filter as in a list. */
    filter?: string;
    /** Only these attributes. */
    attributes?: string[];
    /** All attributes except these. */
    excludedAttributes?: string[];
    /** Position of the first result, starting at 1. */
    startIndex?: number;
    /** Results per page, at most 200. */
    count?: number;
  };
  ScimUserResource: {
    schemas: string[];
    /** Name to sign in with. */
    userName?: string;
    /** Id of the user at the identity provider. */
    externalId?: string;
    /** The name, in parts. */
    name?: Record<string, unknown>;
    /** Display name. */
    displayName?: string;
    /** Job title. */
    title?: string;
    /** Set it to false to revoke access to LLMs. */
    active?: boolean;
    /** E-mail addresses; the primary one becomes the user’s address. */
    emails?: Record<string, unknown>[];
    /** The enterprise extension; `department` is the user’s department. */
    'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'?: Record<string, unknown>;
    id: string;
    /** Groups of the user. */
    groups?: Record<string, unknown>[];
    /** Times, address and version. */
    meta?: Record<string, unknown>;
  };
  ScimUser: {
    schemas: string[];
    /** Name to sign in with; unique, compared without case. */
    userName: string;
    /** Id of the user at the identity provider. */
    externalId?: string;
    /** The name, in parts. */
    name?: Record<string, unknown>;
    /** Display name. */
    displayName?: string;
    /** Job title. */
    title?: string;
    /** Set it to false to revoke access to LLMs. */
    active?: boolean;
    /** E-mail addresses; the primary one becomes the user’s address. */
    emails?: Record<string, unknown>[];
    /** The enterprise extension; `department` is the user’s department. */
    'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'?: Record<string, unknown>;
  };
  ScimPatch: {
    schemas: string[];
    /** Each with `op` (add, remove, replace), `path` and `value`. */
    Operations: Record<string, unknown>[];
  };
  ScimGroupResource: {
    schemas: string[];
    /** Name of the group; its members have it as department. */
    displayName?: string;
    /** Id of the group at the identity provider. */
    externalId?: string;
    /** Users, by their ids. */
    members?: Record<string, unknown>[];
    id: string;
    /** Times, address and version. */
    meta?: Record<string, unknown>;
  };
  ScimGroup: {
    schemas: string[];
    /** Unique name of the group; its members get it as department. */
    displayName: string;
    /** Id of the group at the identity provider. */
    externalId?: string;
    /** Users, by their ids. */
    members?: Record<string, unknown>[];
  };
  ScimConfig: {
    schemas: string[];
    /** Support of PATCH. */
    patch: Record<string, unknown>;
    /** Support of bulk requests. */
    bulk: Record<string, unknown>;
    /** Support of filters; maximum number of results per page. */
    filter: Record<string, unknown>;
    /** Versions. */
    etag: Record<string, unknown>;
    /** How clients authenticate. */
    authenticationSchemes: Record<string, unknown>[];
  };
  ScimResourceType: {
    schemas: string[];
    name: string;
    /** Path of its resources. */
    endpoint: string;
    /** URN of its schema. */
    schema: string;
  };
  ScimSchema: {
    schemas: string[];
    /** Name of the schema. */
    id: string;
    /** Attributes that the server stores. */
    attributes: Record<string, unknown>[];
  };
  CreateEnrollment: {
    /** The user to whom the device will belong; must be active. */
    user_id: string;
    /** Name of the device. */
    name: string;
    /** Expiry of the token, at most 30 days ahead. */
    expires_at?: string;
  };
  EnrollmentResponse: {
    id: string;
    org_id: string;
    user_id: string;
    name: string;
    /** The one-time token. */
    token: string;
    expires_at: string;
    created_at: string;
  };
  EnrollDevice: {
    /** The enrollment token. */
    token: string;
    /** A certificate request (PKCS#10) in PEM, signed by its key: RSA of 2,048 to 8,192 bits, EC on P-256, P-384 or P-521, or Ed25519. */
    csr: string;
  };
  DeviceResponse: {
    id: string;
    org_id: string;
    user_id: string;
    name: string;
    /** Status of the device in decisions for its own user. */
    status: 'active' | 'expired' | 'revoked';
    /** Serial number of the current certificate, lower-case hexadecimal. */
    certificate_serial: string;
    /** SHA-256 of the current certificate (DER), lower-case hexadecimal. */
    fingerprint_sha256: string;
    certificate_expires_at: string;
    revoked_at: string | null;
    /** Reason in free text; null unless one was given. */
    revocation_reason: string | null;
    /** Reason code of the revocation list; null unless revoked. */
    crl_reason: 'unspecified' | 'key_compromise' | 'affiliation_changed' | 'superseded' | 'cessation_of_operation' | 'privilege_withdrawn' | null;
    /** Time of the enrollment. */
    created_at: string;
    updated_at: string;
  };
  DeviceWithCertificateResponse: {
    device: Schemas['DeviceResponse'];
    /** The certificate of the device in PEM. */
    certificate: string;
    /** The certificate of the authority that signed it, in PEM. */
    ca_certificate: string;
  };
  RenewDevice: {
    /** A certificate request (PKCS#10) in PEM, signed by its key: RSA of 2,048 to 8,192 bits, EC on P-256, P-384 or P-521, or Ed25519. */
    csr: string;
    /** Signature of the device’s current key over the request in DER, in base64: with SHA-256 for RSA and EC keys, without a separate hash for Ed25519. */
    proof: string;
  };
  RevokeDevice: {
    /** Reason in free text. */
    reason?: string;
    /** Reason code of revocation lists. */
    crl_reason?: 'unspecified' | 'key_compromise' | 'affiliation_changed' | 'superseded' | 'cessation_of_operation' | 'privilege_withdrawn';
  };
  Capabilities: {
    priority: boolean;
    labels: boolean;
    comment: boolean;
    /** How the service finds a ticket after a lost answer. */
    findByKey: 'strong' | 'eventual' | 'none';
  };
  ConnectorKind: {
    kind: string;
    title: string;
    /** JSON Schema (2020-12) of `settings`. */
    settings_schema: Record<string, unknown>;
    /** JSON Schema (2020-12) of `secrets`. */
    secrets_schema: Record<string, unknown>;
    capabilities: Schemas['Capabilities'];
  };
  RouteTicket: {
    /** A stored incident, as it is now. */
    incident_id?: string;
    /** Severity of the incident. */
    severity?: 'critical' | 'high' | 'medium' | 'low';
    /** Department of the person whom the incident is about. */
    department?: string;
    /** Policy that is violated. */
    policy_id?: string;
  };
  RouteReason: {
    code: 'matches' | 'paused' | 'inactive' | 'below_min_severity' | 'policy_not_listed' | 'department_not_listed';
    message: string;
  };
  ConnectorRoute: {
    connector_id: string;
    name: string;
    kind: string;
    /** Whether it would open a ticket. */
    opens_ticket: boolean;
    /** With `opens_ticket`: `matches`, and `paused` if the ticket would wait for a problem of the connector to be solved. */
    reasons: Schemas['RouteReason'][];
  };
  TicketRoutes: {
    /** All connectors of the organization, by name. */
    connectors: Schemas['ConnectorRoute'][];
  };
  ConnectorRouting: {
    /** Only incidents of this severity, or a worse one. */
    min_severity?: 'critical' | 'high' | 'medium' | 'low';
    /** Only incidents of these policies, by id; no anomalies. */
    policies?: string[];
    /** Only incidents about people of these departments. */
    departments?: string[];
  };
  ConnectorProblem: {
    /** auth, forbidden, config, field or hibernating. */
    code: string;
    message: string;
    since: string;
  };
  ConnectorResponse: {
    id: string;
    org_id: string;
    kind: string;
    name: string;
    active: boolean;
    settings: Record<string, unknown>;
    /** Conditions of the incidents that the connector opens tickets for automatically. */
    routing: Schemas['ConnectorRouting'];
    /** Names of the stored secrets. */
    secret_names: string[];
    /** Why the connector cannot open tickets. */
    problem: Schemas['ConnectorProblem'] | null;
    created_at: string;
    updated_at: string;
  };
  CreateConnector: {
    /** Kind of platform, one of `GET /v1/itsm/kinds`. */
    kind: string;
    /** Name shown to people. */
    name: string;
    /** Whether the connector is used. */
    active?: boolean;
    /** Settings of the platform. */
    settings: Record<string, unknown>;
    /** Encrypted, sent to the origins of the settings only, and never shown. */
    secrets: Record<string, unknown>;
    /** Conditions of the incidents that the connector opens tickets for automatically. */
    routing?: Schemas['ConnectorRouting'];
  };
  ChangeConnector: {
    /** Cannot change. */
    kind?: string;
    /** Name shown to people. */
    name?: string;
    /** Whether the connector is used. */
    active?: boolean;
    /** Replaces all settings. */
    settings?: Record<string, unknown>;
    /** Replaces the supplied secrets; null removes one. */
    secrets?: Record<string, unknown>;
    /** In place of the routing of before, whole. */
    routing?: Schemas['ConnectorRouting'];
  };
  Check: {
    name: string;
    status: 'passed' | 'warning' | 'failed';
    message: string;
  };
  TicketResponse: {
    /** Id of the ticket; the ticket on the platform carries it as a key. */
    id: string;
    org_id: string;
    /** Null for a test ticket. */
    incident_id: string | null;
    /** The connector of the ticket. */
    connector_id: string;
    kind: string;
    /** What requested the ticket. */
    origin: 'automatic' | 'manual' | 'chat' | 'test';
    /** Title before the platform’s limits are applied. */
    title: string;
    severity: 'critical' | 'high' | 'medium' | 'low';
    /** Null until it is created. */
    external_ticket_id: string | null;
    url: string | null;
    /** Last status that the platform reported; `open` after creation, null before. */
    status: 'open' | 'in_progress' | 'resolved' | 'closed' | null;
    /** `pending`: will be created. */
    sync_state: 'pending' | 'created' | 'rejected' | 'uncertain';
    /** Number of attempts to create the ticket. */
    attempts: number;
    /** Null if no attempt is planned, one is running, or the connector is inactive. */
    next_attempt_at: string | null;
    /** Values that the platform did not accept, one sentence each. */
    degraded: string[];
    /** `auth`, `forbidden`, `config`, `field`, `hibernating`, `unreachable`, `uncertain`, `connector_removed` or `fault`. */
    error_code: string | null;
    /** The error as a sentence. */
    error: string | null;
    /** Errors by field of the platform. */
    error_fields: Record<string, string> | null;
    resolution: string | null;
    notes: string | null;
    updated_by: string | null;
    status_changed_at: string | null;
    /** The ticket of the earlier incident about the same. */
    follows: string | null;
    /** The last change that the service tried after the creation; null before the first. */
    change_kind: 'comment' | 'priority' | 'resolve' | 'reopen' | null;
    /** `made`. */
    change_result: 'made' | 'kept' | 'refused' | 'hidden' | 'unanswered' | 'retrying' | null;
    /** The answer of the platform, if the change was not made or may be missing. */
    change_error: string | null;
    /** When the service tried it. */
    change_at: string | null;
    /** When the service next changes the ticket or tries again. */
    next_change_at: string | null;
    created_at: string;
    updated_at: string;
  };
  ConnectorTest: {
    connector_id: string;
    /** Whether the test ticket was created and the account can see it. */
    passed: boolean;
    checks: Schemas['Check'][];
    /** Id of the test ticket. */
    external_ticket_id: string | null;
    /** Null if no ticket was created. */
    ticket: Schemas['TicketResponse'] | null;
  };
  OpenTicket: {
    /** The connector to use. */
    connector_id?: string;
    /** Only preview the ticket. */
    preview?: boolean;
    /** Preview with this title template instead of the connector’s. */
    title_template?: string;
    /** Preview with this text template instead of the connector’s. */
    text_template?: string;
  };
  RenderedTicket: {
    title: string;
    description: string;
    labels: string[];
    /** Body of the request. */
    body: Record<string, unknown> | unknown[];
  };
  InboundSettingsResponse: {
    allowed_networks: string[];
    /** True if the default applies: loopback and private networks. */
    is_default: boolean;
    updated_at: string | null;
  };
  ReplaceInboundSettings: {
    /** Networks (CIDR) or addresses that may send reports. */
    allowed_networks: string[] | null;
  };
  InboundReport: {
    /** The platform’s name of the ticket. */
    external_ticket_id: string;
    /** The platform’s own id of the ticket, at most 255 characters. */
    platform_id?: string | null;
    /** Current status of the ticket. */
    status: 'open' | 'in_progress' | 'resolved' | 'closed';
    /** Resolution of the ticket. */
    resolution?: string | null;
    /** Notes. */
    notes?: string | null;
    /** Author of the change: an e-mail address, or a user name of the platform. */
    updated_by?: string | null;
    /** The platform’s own id of this report, at most 255 characters: the same id counts once. */
    event_id?: string | null;
    /** Time of the change on the platform. */
    occurred_at?: string | null;
  };
  InboundReceipt: {
    external_ticket_id: string;
    /** Status of the ticket after the report. */
    status: 'open' | 'in_progress' | 'resolved' | 'closed';
  };
  IncidentNotifications: {
    /** Id of the channel. */
    channel?: string;
    /** Only incidents that open with this severity, or a worse one. */
    min_severity?: 'critical' | 'high' | 'medium' | 'low';
    /** Only incidents of these policies, by id; no anomalies. */
    policies?: string[];
    /** Only incidents about people of these departments. */
    departments?: string[];
  };
  ApprovalNotifications: {
    /** Id of the channel. */
    channel?: string;
    /** Only requests for approval that these policies ask for, by id. */
    policies?: string[];
    /** Only requests of people of these departments. */
    departments?: string[];
  };
  ChatNotifications: {
    /** Left out: no incidents are announced. */
    incidents?: Schemas['IncidentNotifications'];
    /** Left out: no requests are announced. */
    approvals?: Schemas['ApprovalNotifications'];
  };
  WorkspaceProblem: {
    message: string;
    since: string;
  };
  WorkspaceResponse: {
    id: string;
    org_id: string;
    platform: string;
    workspace: string;
    /** The secrets that are stored. */
    secret_names: string[];
    /** What is announced, and in which channel. */
    notifications: Schemas['ChatNotifications'];
    /** Why the last notification was not sent; null if it was. */
    problem: Schemas['WorkspaceProblem'] | null;
    created_at: string;
    /** Of its secrets and notifications. */
    updated_at: string;
  };
  RegisterWorkspace: {
    /** Which chat platform. */
    platform: string;
    /** The platform’s id of the workspace. */
    workspace: string;
    /** Signing secret of the platform. */
    signing_secret?: string;
    /** Secret for notifications. */
    notification_secret?: string;
    /** What is announced, and in which channel. */
    notifications?: Schemas['ChatNotifications'];
  };
  ChangeWorkspace: {
    /** Signing secret of the platform. */
    signing_secret?: string;
    /** Secret for notifications. */
    notification_secret?: string;
    /** In place of those of before, whole. */
    notifications?: Schemas['ChatNotifications'];
  };
  LinkResponse: {
    id: string;
    org_id: string;
    platform: string;
    workspace: string;
    account: string;
    user_id: string;
    role: 'member' | 'auditor' | 'admin';
    created_at: string;
  };
  CreateLink: {
    /** Which chat platform. */
    platform: string;
    /** The platform’s id of the workspace. */
    workspace: string;
    /** The platform’s id of the account, not its name. */
    account: string;
    /** The user that the account acts as. */
    user_id: string;
    /** Permissions of the link, as for access tokens: a member sees only what concerns them. */
    role?: 'member' | 'auditor' | 'admin';
  };
  ChatProbe: {
    platform: string;
    message: string;
  };
  HealthHour: {
    /** Begin of the hour, in UTC. */
    hour: string;
    /** Attempts that the endpoint accepted. */
    delivered: number;
    /** Attempts that failed, those without an answer in time included. */
    failed: number;
    /** Attempts without an answer in time. */
    timeouts: number;
    /** Half of the attempts took at most this; null without attempts. */
    p50_ms: number | null;
    /** 95 % of the attempts took at most this; null without attempts. */
    p95_ms: number | null;
  };
  HourlyHealthResponse: {
    webhook_id: string;
    /** Hours begin at full hours of this zone. */
    time_zone: string;
    /** The oldest first, hours without attempts included. */
    hours: Schemas['HealthHour'][];
  };
  WebhookHealth: {
    /** Result of the latest attempt; `unknown` before the first. */
    state: 'unknown' | 'healthy' | 'failing';
    /** Attempts in the last 24 hours. */
    attempts: number;
    /** Successful attempts in the last 24 hours. */
    succeeded: number;
    /** Attempts without an answer in time, in the last 24 hours. */
    timeouts: number;
    /** Share of successful attempts, from 0 to 1; null without attempts. */
    success_rate: number | null;
    /** Average duration of an attempt in milliseconds; null without attempts. */
    average_duration_ms: number | null;
    last_success_at: string | null;
    last_failure_at: string | null;
  };
  WebhookResponse: {
    id: string;
    org_id: string;
    url: string;
    /** Subscribed types; all types of this version if `all_events` is true. */
    events: string[];
    /** Whether the webhook also gets types of later versions. */
    all_events: boolean;
    description: string | null;
    enabled: boolean;
    /** Until then, a second header is signed with the previous secret. */
    previous_secret_until: string | null;
    health: Schemas['WebhookHealth'];
    created_at: string;
    updated_at: string;
  };
  RegisterWebhook: {
    /** An `https:` URL without user name and password. */
    url: string;
    /** Types of events to send. */
    events?: ('policy_violation' | 'budget_exceeded' | 'budget_warning' | 'user_locked_out' | 'anomaly_detected' | 'device_enrolled' | 'device_revoked' | 'token_expiring' | 'audit_anchor')[] | null;
    /** A label for people. */
    description?: string | null;
    /** While false, deliveries wait. */
    enabled?: boolean;
  };
  WebhookWithSecretResponse: Schemas['WebhookResponse'] & {
    /** Signs every delivery. */
    signing_secret: string;
  };
  ChangeWebhook: Partial<Schemas['RegisterWebhook']>;
  RotateSecret: {
    /** Hours in which a second header is signed with the previous secret; 0 for none. */
    overlap_hours?: number;
  };
  AttemptResponse: {
    /** Starts at 1. */
    number: number;
    /** Cause of the attempt: the retry schedule, a manual retry, or a recovery. */
    trigger: 'schedule' | 'manual' | 'recovery';
    started_at: string;
    duration_ms: number | null;
    /** Status code of the answer; null without an answer. */
    http_status: number | null;
    /** The first 16 KiB of the answer, as UTF-8; invalid bytes are replaced by U+FFFD. */
    response_body: string | null;
    /** Whether the answer was longer than the stored part. */
    response_truncated: boolean;
    /** Cause of the failure; null if you answered. */
    error: string | null;
  };
  DeliveryResponse: {
    id: string;
    webhook_id: string;
    /** Id of the event. */
    event_id: string;
    event_type: string;
    /** `delivering` while an attempt runs, `pending` before and between attempts. */
    status: 'pending' | 'delivering' | 'delivered' | 'failed' | 'cancelled';
    /** Oldest first. */
    attempts: Schemas['AttemptResponse'][];
    /** Null if no attempt is planned, while one runs, and while the webhook is paused. */
    next_attempt_at: string | null;
    created_at: string;
  };
  Recover: {
    /** Failed deliveries that were created at this time or later are retried. */
    since: string;
  };
  RecoveryResponse: {
    webhook_id: string;
    since: string;
    /** When the recovery began. */
    until: string;
    /** Number of failed deliveries to retry. */
    deliveries: number;
  };
  AttemptExchangeResponse: Schemas['AttemptResponse'] & {
    /** The headers that the service set, as sent, signatures included; null if the end of the attempt is unknown. */
    request_headers: Record<string, string> | null;
    /** The first 50 headers of the answer, each up to 1,000 characters, values of cookies hidden. */
    response_headers: Record<string, string> | null;
  };
  DeliveryExchangeResponse: {
    id: string;
    webhook_id: string;
    /** Id of the event. */
    event_id: string;
    event_type: string;
    /** `delivering` while an attempt runs, `pending` before and between attempts. */
    status: 'pending' | 'delivering' | 'delivered' | 'failed' | 'cancelled';
    /** Oldest first. */
    attempts: Schemas['AttemptExchangeResponse'][];
    /** Null if no attempt is planned, while one runs, and while the webhook is paused. */
    next_attempt_at: string | null;
    created_at: string;
    /** The bytes that were signed and sent, as UTF-8. */
    request_body: string | null;
  };
  EventTypeResponse: {
    type: string;
    /** When events of this type are sent. */
    description: string;
    /** JSON Schema (draft 2020-12) of `data`. */
    schema: Record<string, unknown>;
    /** A complete event of this type. */
    example: Record<string, unknown>;
  };
  AnomalyWindow: {
    /** Start of the period, inclusive. */
    start: string;
    /** End of the period, exclusive. */
    end: string;
  };
  AnomalyPoint: {
    /** First instant of the day or hour. */
    at: string;
    /** The measured value, in units of the metric. */
    value: number;
  };
  AnomalyJudge: {
    kind: string;
    /** Id of the token or the subject; never a secret. */
    id: string;
    name: string;
  };
  AnomalyResponse: {
    id: string;
    org_id: string;
    kind: 'usage_spike' | 'pre_departure';
    severity: 'critical' | 'high' | 'medium' | 'low';
    /** The user; null for the organization as a whole. */
    user_id: string | null;
    user_email: string | null;
    /** The model, if the anomaly concerns a single model. */
    model: string | null;
    /** `requests`, `tokens`, `cost_usd` or `active_hours`. */
    metric: string;
    observed: number;
    /** Lower limit of the expected range. */
    expected_low: number;
    /** Upper limit of the expected range. */
    expected_high: number;
    /** Period of the anomaly: a local day of the user, or an hour of the organization. */
    window: Schemas['AnomalyWindow'];
    /** Number of past days with which the value was compared. */
    history_days: number;
    /** Identifier of the rule. */
    rule: string;
    /** Description of the rule. */
    rule_in_words: string;
    /** Ratio of the deviation to the limit: 1 is exactly at the limit. */
    strength: number;
    /** The history and the unusual value, for a chart. */
    series: Schemas['AnomalyPoint'][];
    /** The incident that counts the anomaly. */
    incident_id: string;
    detected_at: string;
    feedback: 'expected' | 'unexpected' | null;
    feedback_note: string | null;
    feedback_at: string | null;
    /** The token or person that gave the feedback. */
    feedback_by: Schemas['AnomalyJudge'] | null;
  };
  AnomalySettingsResponse: {
    sensitivity: 'low' | 'medium' | 'high';
    quiet_days: number;
    minimum_requests: number;
    minimum_tokens: number;
    minimum_cost_usd: number;
    usage_spikes: boolean;
    organization_spikes: boolean;
    pre_departure: boolean;
    leaver_attribute: string | null;
    /** Time of the last change; null for the default settings. */
    updated_at: string | null;
  };
  AnomalySettings: {
    /** `high`: narrower limits, more alarms. */
    sensitivity?: 'low' | 'medium' | 'high';
    /** Days without an unusual value after which an episode ends. */
    quiet_days?: number;
    /** Minimum requests per user and day for an alarm. */
    minimum_requests?: number;
    /** Minimum tokens per user and day for an alarm. */
    minimum_tokens?: number;
    /** Minimum US dollars per user and day for an alarm. */
    minimum_cost_usd?: number;
    /** Detect unusual days of users. */
    usage_spikes?: boolean;
    /** Detect unusual hours of the whole organization. */
    organization_spikes?: boolean;
    /** Use narrower limits and a higher severity for users who are about to leave. */
    pre_departure?: boolean;
    /** Name of a user attribute. */
    leaver_attribute?: string | null;
  };
  AnomalySimulation: {
    /** Number of days to replay, including today. */
    days?: number;
    /** Settings that differ from those of the organization. */
    settings?: Schemas['AnomalySettings'];
  };
  AlarmsOfDay: {
    date: string;
    alarms: number;
  };
  AlarmsOfUser: {
    /** The user; null for the organization as a whole. */
    user_id: string | null;
    user_email: string | null;
    alarms: number;
  };
  SimulatedAlarm: {
    date: string;
    kind: 'usage_spike' | 'pre_departure';
    severity: 'critical' | 'high' | 'medium' | 'low';
    /** The user; null for the organization as a whole. */
    user_id: string | null;
    user_email: string | null;
    metric: string;
    observed: number;
    expected_high: number;
    rule_in_words: string;
  };
  AnomalySimulationResponse: {
    /** The simulated settings. */
    settings: Schemas['AnomalySettingsResponse'];
    first_day: string;
    last_day: string;
    /** Number of replayed users: those with usage in these days. */
    people: number;
    /** Whether there are more users than the 5,000 that a simulation replays. */
    is_sample: boolean;
    alarms: number;
    /** Days with alarms, the oldest first. */
    alarms_per_day: Schemas['AlarmsOfDay'][];
    /** The 100 with the most alarms. */
    by_user: Schemas['AlarmsOfUser'][];
    /** The first 20 alarms. */
    sample: Schemas['SimulatedAlarm'][];
  };
  AnomalyFeedback: {
    /** `expected` widens the limits of this user or organization, `unexpected` narrows them. */
    feedback: 'expected' | 'unexpected';
    /** Why. */
    note?: string | null;
  };
  MyUser: {
    id: string;
    email: string;
    name: string;
    department: string | null;
    /** Role of the user in the directory. */
    role: string;
  };
  MyOrganization: {
    id: string;
    name: string;
    /** IANA time zone in which days and budget periods begin. */
    time_zone: string;
  };
  MySession: {
    id: string;
    created_at: string;
    /** Time at which the session ends without further input. */
    idle_at: string;
    /** Time at which the session ends at the latest. */
    expires_at: string;
  };
  MeResponse: {
    /** Kind of the credential. */
    kind: 'token' | 'jwt' | 'host' | 'cli' | 'device' | 'chat' | 'connector';
    /** Id of the token or the subject. */
    id: string;
    /** Name of the token or the person. */
    name: string;
    /** Scopes of the credential. */
    scopes: ('policies:read' | 'policies:write' | 'approvals:read' | 'approvals:read:own' | 'approvals:write' | 'decisions:write' | 'decisions:read' | 'incidents:read' | 'incidents:read:own' | 'incidents:write' | 'anomalies:read' | 'anomalies:write' | 'usage:read' | 'usage:read:own' | 'usage:write' | 'prices:read' | 'prices:write' | 'budgets:read' | 'budgets:write' | 'gateway:read' | 'gateway:write' | 'gateway:call' | 'webhooks:read' | 'webhooks:write' | 'itsm:read' | 'itsm:write' | 'users:read' | 'users:read:own' | 'users:write' | 'devices:read' | 'devices:read:own' | 'devices:write' | 'scim:write' | 'tokens:read' | 'tokens:write' | 'audit:read' | 'organization:read' | 'organization:write')[];
    /** The role with exactly these scopes; null if the scopes were chosen one by one. */
    role: 'admin' | 'auditor' | 'agent' | 'member' | 'scim' | null;
    /** The user behind the credential. */
    user: Schemas['MyUser'] | null;
    /** Your organization. */
    organization: Schemas['MyOrganization'];
    /** Version of the service. */
    version: string;
    /** The dashboard session of this request; null for other credentials. */
    session: Schemas['MySession'] | null;
    /** Time of the service. */
    now: string;
  };
  SessionResponse: {
    id: string;
    /** Name of the token or the person at the sign-in. */
    name: string;
    user_id: string | null;
    user_email: string | null;
    /** How the person signed in. */
    credential: 'token' | 'oidc';
    /** Id of the access token, or `<issuer>#<subject>`. */
    credential_id: string;
    /** Address from which the person signed in. */
    address: string | null;
    /** User agent of the browser, at most 255 characters. */
    user_agent: string | null;
    created_at: string;
    /** Time of the last input, accurate to 30 seconds. */
    last_input_at: string;
    /** Time at which the session ends without further input: 30 minutes after the last input. */
    idle_at: string;
    /** Time at which the session ends at the latest: 12 hours after its start. */
    expires_at: string;
    /** Whether this request uses the session. */
    current: boolean;
  };
  MakeSignInLink: {
    /** Minutes after which an unused link expires. */
    expires_in_minutes?: number;
  };
  SignInLinkResponse: {
    /** Append `#link=<code>` to the address of the dashboard and open it. */
    code: string;
    expires_at: string;
  };
  SeverityCounts: {
    critical: number;
    high: number;
    medium: number;
    low: number;
  };
  UrgentIncident: {
    id: string;
    type: string;
    severity: 'critical' | 'high' | 'medium' | 'low';
    /** Name of the violated policy, or a summary of the anomaly. */
    subject: string | null;
    user_id: string | null;
    user_email: string | null;
    policy_id: string | null;
    model: string | null;
    occurrences: number;
    first_seen_at: string;
    last_seen_at: string;
  };
  OverviewIncidents: {
    /** Open incidents by severity. */
    open: Schemas['SeverityCounts'];
    /** The ten newest open incidents of severity critical or high. */
    newest: Schemas['UrgentIncident'][];
  };
  FailingWebhook: {
    id: string;
    url: string;
    description: string | null;
    enabled: boolean;
    /** Failed deliveries of the last seven days. */
    failed: number;
    last_failed_at: string;
  };
  OverviewDeliveries: {
    /** Failed deliveries of the last seven days. */
    failed: number;
    /** The ten webhooks with the most failed deliveries. */
    webhooks: Schemas['FailingWebhook'][];
  };
  FailingConnector: {
    id: string;
    name: string;
    kind: string;
    problem_code: string;
    problem_message: string | null;
    problem_since: string;
  };
  OverviewConnectors: {
    /** Active connectors that open no tickets, at most ten. */
    failing: Schemas['FailingConnector'][];
    /** Tickets that the platform refused, or whose creation is uncertain. */
    tickets_not_created: number;
  };
  OverviewBudget: {
    id: string;
    name: string;
    scope: string;
    department: string | null;
    user_id: string | null;
    model: string | null;
    period: string;
    enforcement: string;
    amount_usd: number;
    spent_usd: number;
    window_start: string;
    window_end: string;
  };
  OverviewBudgets: {
    /** Number of budgets that have spent at least 80 % of their amount. */
    above_80: number;
    /** The ten of these budgets that have spent the largest share. */
    highest: Schemas['OverviewBudget'][];
    /** Budgets of the whole organization, at most ten. */
    organization: Schemas['OverviewBudget'][];
  };
  WaitingApproval: {
    id: string;
    policy_id: string;
    policy_name: string;
    user_id: string;
    user_email: string | null;
    provider: string;
    model: string;
    requested_at: string;
    expires_at: string;
  };
  OverviewApprovals: {
    /** Number of waiting requests. */
    waiting: number;
    /** The ten requests that have waited longest. */
    oldest: Schemas['WaitingApproval'][];
  };
  UnjudgedAnomaly: {
    id: string;
    kind: string;
    severity: 'critical' | 'high' | 'medium' | 'low';
    user_id: string | null;
    user_email: string | null;
    model: string | null;
    metric: string;
    observed: number;
    expected_high: number;
    detected_at: string;
    incident_id: string;
  };
  OverviewAnomalies: {
    /** Alarms of the last seven days without feedback. */
    unjudged: number;
    /** The ten newest of these alarms. */
    newest: Schemas['UnjudgedAnomaly'][];
  };
  FirstStep: {
    /** The kind of resource to create. */
    name: 'user' | 'policy' | 'event' | 'webhook' | 'connector';
    done: boolean;
  };
  OverviewResponse: {
    /** Time of the snapshot. */
    generated_at: string;
    /** Open incidents; null without the scope to read them, or without their library. */
    incidents: Schemas['OverviewIncidents'] | null;
    /** Failed deliveries; null without the scope to read them, or without their library. */
    deliveries: Schemas['OverviewDeliveries'] | null;
    /** Connectors that cannot open tickets; null without the scope to read them, or without their library. */
    connectors: Schemas['OverviewConnectors'] | null;
    /** Budgets that are nearly spent; null without the scope to read them, or without their library. */
    budgets: Schemas['OverviewBudgets'] | null;
    /** Budgets of the user behind the credential, and that user’s part of budgets that are split by user, at most 20; empty for a credential without a user, null without the scope `usage:read:own`. */
    own_budgets: Schemas['OverviewBudget'][] | null;
    /** Waiting requests for approval; null without the scope to read them, or without their library. */
    approvals: Schemas['OverviewApprovals'] | null;
    /** Alarms without feedback; null without the scope to read them, or without their library. */
    anomalies: Schemas['OverviewAnomalies'] | null;
    /** First steps of a new organization. */
    first_steps: Schemas['FirstStep'][];
  };
  Found: {
    /** Kind of the result, such as `user`, `policy` or `incident`. */
    kind: string;
    id: string;
    title: string;
    subtitle: string | null;
  };
  SearchResponse: {
    /** At most five of each kind. */
    results: Schemas['Found'][];
  };
  ActorStamp: {
    /** Kind of the credential. */
    kind: 'token' | 'jwt' | 'host' | 'cli' | 'system';
    /** Id of the token or the subject. */
    id: string;
    name: string;
  };
  IncidentResponse: {
    /** Id; the events of the incident name it as `alert_id`. */
    id: string;
    org_id: string;
    type: 'policy_violation' | 'anomaly';
    /** The worst of its occurrences. */
    severity: 'critical' | 'high' | 'medium' | 'low';
    status: 'open' | 'acknowledged' | 'resolved';
    /** The user. */
    user_id: string | null;
    user_email: string | null;
    policy_id: string | null;
    /** Provider of the first occurrence. */
    provider: string | null;
    model: string | null;
    /** Details of the first occurrence. */
    details: Record<string, unknown>;
    /** Number of occurrences. */
    occurrences: number;
    first_seen_at: string;
    last_seen_at: string;
    acknowledged_at: string | null;
    acknowledged_by: Schemas['ActorStamp'] | null;
    resolved_at: string | null;
    resolved_by: Schemas['ActorStamp'] | null;
    /** Outcome of the incident. */
    resolution: string | null;
    /** The previous incident, if this one replaces a quiet one. */
    follows: string | null;
    /** Grows with each change of any incident of the organization. */
    change_version: number;
  };
  ChangeIncidents: Schemas['ChangeIncident'] & {
    /** Ids of the incidents. */
    ids: string[];
  };
  IncidentOutcome: {
    id: string;
    outcome: 'changed' | 'not_found' | 'conflict';
    /** Reason why it was not changed. */
    message: string | null;
    /** The incident after the change, if it was changed. */
    incident: Schemas['IncidentResponse'] | null;
  };
  IncidentOutcomes: {
    /** In the order of the ids. */
    results: Schemas['IncidentOutcome'][];
  };
  TimelineItem: {
    /** Id of the entry; for an occurrence, the id of the decision. */
    id: string;
    /** `followed`: the incident was quiet for too long, and a new one replaced it. */
    kind: 'occurrence' | 'opened' | 'status' | 'note' | 'followed' | 'ticket';
    at: string;
    /** Null for an occurrence. */
    actor: Schemas['ActorStamp'] | null;
    /** For an occurrence: `decision_id`, `event_id`, `action`, `deliveries` and `tickets`. */
    data: Record<string, unknown>;
  };
  IncidentView: Schemas['IncidentResponse'] & {
    /** The newest 50 entries of the timeline, newest first. */
    timeline: Schemas['TimelineItem'][];
  };
  ChangeIncident: {
    /** New status: from `open` to `acknowledged` or `resolved`, from `acknowledged` to `open` or `resolved`. */
    status?: 'open' | 'acknowledged' | 'resolved';
    /** Note for the timeline. */
    note?: string;
    /** Outcome of the incident; only with the status `resolved`. */
    resolution?: string;
  };
  OrganizationResponse: {
    id: string;
    name: string;
    /** IANA time zone in which budget periods begin. */
    time_zone: string;
    /** Longest life in days of a token that a person creates by a sign-in (JWT or host). */
    sign_in_token_max_days: number;
    /** Month in which the fiscal year begins: quarterly and yearly budgets begin with it. */
    fiscal_year_first_month: number;
    created_at: string;
  };
  UpdateOrganization: {
    name?: string;
    time_zone?: string;
    /** Longest life in days of a token that a person creates by a sign-in (JWT or host). */
    sign_in_token_max_days?: number;
    /** Month in which the fiscal year begins: quarterly and yearly budgets begin with it. */
    fiscal_year_first_month?: number;
  };
  CreateToken: {
    /** Purpose of the token. */
    name: string;
    /** Bundle of scopes. */
    role: 'admin' | 'auditor' | 'agent' | 'member' | 'scim';
    /** Some of the role's scopes. */
    scopes?: ('policies:read' | 'policies:write' | 'approvals:read' | 'approvals:read:own' | 'approvals:write' | 'decisions:write' | 'decisions:read' | 'incidents:read' | 'incidents:read:own' | 'incidents:write' | 'anomalies:read' | 'anomalies:write' | 'usage:read' | 'usage:read:own' | 'usage:write' | 'prices:read' | 'prices:write' | 'budgets:read' | 'budgets:write' | 'gateway:read' | 'gateway:write' | 'gateway:call' | 'webhooks:read' | 'webhooks:write' | 'itsm:read' | 'itsm:write' | 'users:read' | 'users:read:own' | 'users:write' | 'devices:read' | 'devices:read:own' | 'devices:write' | 'scim:write' | 'tokens:read' | 'tokens:write' | 'audit:read' | 'organization:read' | 'organization:write')[];
    /** The user to whom the token belongs. */
    user_id?: string;
    /** Default: 90 days from now, or the expiry of your own token if that is earlier. */
    expires_at?: string;
    /** Models for which the token is valid: names, or patterns with `*`. */
    models?: string[] | null;
    /** Project of all requests with this token, whatever they name. */
    project?: string | null;
    /** Tags of all requests with this token. */
    tags?: Record<string, string> | null;
    /** A budget of its own. */
    budget?: {
      /** US dollars. */
      amount_usd?: number;
      period?: 'daily' | 'weekly' | 'monthly' | 'quarterly' | 'yearly';
      /** Default: `block`. */
      enforcement?: 'notify' | 'block';
    } | null;
    /** Limits of its own. */
    limits?: {
      requests_per_minute?: number | null;
      tokens_per_minute?: number | null;
      concurrent_requests?: number | null;
    } | null;
  };
  CreatedTokenResponse: Schemas['TokenResponse'] & {
    /** The bearer token. */
    token: string;
  };
  RotateToken: {
    /** Hours in which the previous secret is still accepted. */
    overlap_hours?: number;
  };
  TokenResponse: {
    id: string;
    name: string;
    role: 'admin' | 'auditor' | 'agent' | 'member' | 'scim';
    scopes: ('policies:read' | 'policies:write' | 'approvals:read' | 'approvals:read:own' | 'approvals:write' | 'decisions:write' | 'decisions:read' | 'incidents:read' | 'incidents:read:own' | 'incidents:write' | 'anomalies:read' | 'anomalies:write' | 'usage:read' | 'usage:read:own' | 'usage:write' | 'prices:read' | 'prices:write' | 'budgets:read' | 'budgets:write' | 'gateway:read' | 'gateway:write' | 'gateway:call' | 'webhooks:read' | 'webhooks:write' | 'itsm:read' | 'itsm:write' | 'users:read' | 'users:read:own' | 'users:write' | 'devices:read' | 'devices:read:own' | 'devices:write' | 'scim:write' | 'tokens:read' | 'tokens:write' | 'audit:read' | 'organization:read' | 'organization:write')[];
    user_id: string | null;
    /** The users or subjects who created it, the last first. */
    issued_by: string[];
    /** Whether its chain of creators contains a credential without a person: the operator’s token, or a sign-in of no user. */
    issued_by_nobody: boolean;
    /** The token with which it was created. */
    issued_by_token: string | null;
    created_at: string;
    /** Null only for a token that the operator configured. */
    expires_at: string | null;
    /** Time of the last use, accurate to a minute. */
    last_used_at: string | null;
    /** Null: all models. */
    models: string[] | null;
    /** Null: as each request says. */
    project: string | null;
    /** Null: as each request says. */
    tags: Record<string, string> | null;
    /** Time of the last rotation. */
    rotated_at: string | null;
    /** Until then the previous secret is accepted; null without a rotation. */
    previous_until: string | null;
    /** The budget with which it was created; null without one. */
    budget?: {
      id: string;
      /** US dollars. */
      amount_usd: number;
      period: 'daily' | 'weekly' | 'monthly' | 'quarterly' | 'yearly';
      /** Default: `block`. */
      enforcement: 'notify' | 'block';
    } | null;
    /** The limits with which it was created; null without them. */
    limits?: {
      id: string;
      requests_per_minute: number | null;
      tokens_per_minute: number | null;
      concurrent_requests: number | null;
    } | null;
    /** Cost of its usage in the current month of your time zone, in US dollars. */
    spent_usd: number | null;
  };
  RevokedTokens: {
    revoked: number;
  };
  IdentityResponse: {
    id: string;
    user_id: string;
    /** The claim `iss` of the JWTs. */
    issuer: string;
    /** The claim `sub` of the JWTs. */
    subject: string;
    linked_at: string;
    /** Time when the user left; null while the account may sign in. */
    ended_at: string | null;
  };
  AuditRecordResponse: {
    id: string;
    /** Place in the chain, from 1 without gaps. */
    seq: number;
    occurred_at: string;
    actor_kind: 'token' | 'jwt' | 'host' | 'cli' | 'device' | 'chat' | 'connector';
    /** Id of the token or subject. */
    actor_id: string;
    actor_name: string;
    actor_user_id: string | null;
    /** Address of the client. */
    address: string | null;
    request_id: string | null;
    action: string;
    resource_type: string;
    resource_id: string;
    before: Record<string, unknown> | null;
    after: Record<string, unknown> | null;
    /** SHA-256 over the previous hash and this record, in hexadecimal. */
    hash: string;
  };
  ConfigurationCounts: {
    created: number;
    changed: number;
    unchanged: number;
    pruned: number;
    unlisted: number;
  };
  ConfigurationChange: {
    field: string;
    /** Null if there was no value. */
    from: string | number | boolean | unknown[] | Record<string, unknown> | null;
    /** Null if there is no value. */
    to: string | number | boolean | unknown[] | Record<string, unknown> | null;
  };
  ConfigurationObject: {
    kind: string;
    name: string;
    /** `unlisted`: the document does not contain it, and it stays, because `prune` is false. */
    outcome: 'created' | 'changed' | 'unchanged' | 'pruned' | 'unlisted';
    changes: Schemas['ConfigurationChange'][];
    /** Only for a new webhook: signs its deliveries. */
    signing_secret?: string;
  };
  ConfigurationReport: {
    /** True if nothing was changed. */
    dry_run: boolean;
    counts: Schemas['ConfigurationCounts'];
    /** All objects except unchanged ones. */
    objects: Schemas['ConfigurationObject'][];
  };
  Health: {
    status: 'ok' | 'unavailable';
    /** What is missing. */
    missing?: string[];
  };
}

/** Operations of the API: what each takes and answers. */
export interface Operations {
  /** List the providers of the gateway, newest first. Needs gateway:read. */
  listGatewayProviders: { input: PageQuery; answer: Page<Schemas['ProviderResponse']> };
  /** Get a provider of the gateway. Needs gateway:read. */
  getGatewayProvider: { input: {
    name: string;
  }; answer: Schemas['ProviderResponse'] };
  /** Create a provider, or replace its settings. Needs gateway:write. */
  putGatewayProvider: { input: {
    name: string;
  } & Body<Schemas['PutProvider']>; answer: Schemas['ProviderResponse'] };
  /** Delete a provider and its key for good. Needs gateway:write. */
  deleteGatewayProvider: { input: {
    name: string;
  }; answer: undefined };
  /** Decide whether a person may use a model. Needs decisions:write. */
  decide: { input: Body<Schemas['DecisionRequest']>; answer: Schemas['DecisionResponse'] };
  /** List recorded decisions, the newest first unless `sort` says otherwise. Needs decisions:read. */
  listDecisions: { input: PageQuery & {
    user_id?: string;
    action?: string;
    model?: string;
    provider?: string;
    since?: string;
    policy_id?: string;
    until?: string;
    sort?: 'newest' | 'oldest';
  }; answer: Page<Schemas['RecordedDecision']> };
  /** Decide up to 100 requests. Needs decisions:write. */
  decideBatch: { input: Body<Schemas['DecisionBatchRequest']>; answer: Schemas['DecisionBatchResponse'] };
  /** Release the budget reservation of a decision. Needs decisions:write. */
  releaseReservation: { input: ById; answer: Schemas['ReleaseResponse'] };
  /** Get a recorded decision. Needs decisions:read. */
  getDecision: { input: ById; answer: Schemas['RecordedDecision'] };
  /** Explain why a decision was made, and what has changed since. Needs decisions:read and policies:read and approvals:read and users:read. */
  getDecisionExplanation: { input: ById; answer: Schemas['Explanation'] };
  /** List how often policies matched, the newest policy first. Needs policies:read. */
  listPolicyHits: { input: PageQuery & {
    since?: string;
    until?: string;
  }; answer: Page<Schemas['PolicyHits']> };
  /** List how often a policy matched over time, the newest window first. Needs policies:read. */
  listPolicyHitWindows: { input: ById & PageQuery & {
    since?: string;
    until?: string;
    period?: 'hourly' | 'daily' | 'weekly' | 'monthly';
  }; answer: Page<Schemas['PolicyHitWindow']> };
  /** List policies, the newest first. Needs policies:read. */
  listPolicies: { input: PageQuery; answer: Page<Schemas['PolicyResponse']> };
  /** Create a policy. Needs policies:write. */
  createPolicy: { input: Body<Schemas['CreatePolicy']>; answer: Schemas['PolicyResponse'] };
  /** Get a policy. Needs policies:read. */
  getPolicy: { input: ById; answer: Schemas['PolicyResponse'] };
  /** Change the supplied fields of a policy. Needs policies:write. */
  updatePolicy: { input: ById & Body<Schemas['UpdatePolicy']>; answer: Schemas['PolicyResponse'] };
  /** Delete a policy. Needs policies:write. */
  deletePolicy: { input: ById; answer: undefined };
  /** List the changes of a policy and their authors, the newest first. Needs policies:read. */
  listPolicyVersions: { input: ById & PageQuery; answer: Page<Schemas['PolicyVersionEntry']> };
  /** Get one version of a policy. Needs policies:read. */
  getPolicyVersion: { input: ById & {
    version: number;
  }; answer: Schemas['PolicyVersion'] };
  /** Compare a version of a policy with another version, by default the previous one. Needs policies:read. */
  getPolicyDiff: { input: ById & {
    version: number;
    against?: number;
  }; answer: Schemas['PolicyDiff'] };
  /** Restore a version of a policy as a new version. Needs policies:write. */
  restorePolicy: { input: ById & Body<Schemas['RestorePolicy']>; answer: Schemas['PolicyResponse'] };
  /** Test a draft policy against the decisions and usage of the last days. Needs policies:read and decisions:read and usage:read. */
  simulatePolicy: { input: {
    accept?: 'application/json' | 'application/x-ndjson';
  } & Body<Schemas['SimulationRequest']>; answer: Schemas['SimulationResponse'] | string };
  /** List approvals, the newest request first; the scope approvals:read:own shows only your own. Needs approvals:read or approvals:read:own. */
  listApprovals: { input: PageQuery & {
    status?: 'pending' | 'approved' | 'denied' | 'expired' | 'revoked';
    user_id?: string;
    policy_id?: string;
  }; answer: Page<Schemas['ApprovalResponse']> };
  /** Get an approval; the scope approvals:read:own shows only your own. Needs approvals:read or approvals:read:own. */
  getApproval: { input: ById; answer: Schemas['ApprovalResponse'] };
  /** Approve a request until a given time. Needs approvals:write. */
  approveRequest: { input: ById & OptionalBody<Schemas['Approve']>; answer: Schemas['ApprovalResponse'] };
  /** Deny a request. Needs approvals:write. */
  denyRequest: { input: ById & OptionalBody<Schemas['Deny']>; answer: Schemas['ApprovalResponse'] };
  /** Revoke an approval before it ends. Needs approvals:write. */
  revokeGrant: { input: ById & OptionalBody<Schemas['Revoke']>; answer: Schemas['ApprovalResponse'] };
  /** Report 1 to 1,000 usage events. Needs usage:write. */
  reportUsage: { input: Body<Schemas['UsageBatch'] | string | {
    specversion: '1.0';
    /** Default of data.id. */
    id: string;
    source: string;
    type: string;
    /** Default of data.occurred_at. */
    time?: string;
    /** UUID or e-mail address of the user, unless data names one. */
    subject?: string;
    /** The other fields of a usage event. */
    data: Record<string, unknown>;
  }[]>; answer: Schemas['UsageReceipt'] };
  /** Get a stored usage event with its price. Needs usage:read. */
  getUsageEvent: { input: ById; answer: Schemas['StoredUsageEvent'] };
  /** Usage as CSV in the FinOps Open Cost and Usage Specification (FOCUS) 1.2. Needs usage:read. */
  queryUsageAsFocus: { input: {
    start_date?: string;
    end_date?: string;
    currency?: string;
  }; answer: string };
  /** Get one metric of usage over time, by group. Needs usage:read or usage:read:own. */
  getUsageSeries: { input: {
    group_by?: string;
    period?: 'hourly' | 'daily' | 'weekly' | 'monthly';
    time_zone?: string;
    start_date?: string;
    end_date?: string;
    top?: number;
    currency?: string;
    user_id?: string;
    department?: string;
    project?: string;
    model?: string;
    provider?: string;
    metric?: 'requests' | 'tokens' | 'input_tokens' | 'output_tokens' | 'cache_read_tokens' | 'cache_write_tokens' | 'reasoning_tokens' | 'cost_usd' | 'list_cost_usd' | 'cost';
    accept?: 'application/json' | 'text/csv';
    'tag:{key}'?: string;
  }; answer: Schemas['UsageSeries'] | string };
  /** Get all metrics of usage by period and group. Needs usage:read or usage:read:own. */
  getUsageBreakdown: { input: {
    group_by?: string;
    period?: 'hourly' | 'daily' | 'weekly' | 'monthly';
    time_zone?: string;
    start_date?: string;
    end_date?: string;
    top?: number;
    currency?: string;
    user_id?: string;
    department?: string;
    project?: string;
    model?: string;
    provider?: string;
    accept?: 'application/json' | 'text/csv';
    'tag:{key}'?: string;
  }; answer: Schemas['UsageBreakdown'] | string };
  /** List the models, providers, departments, projects and tags that usage has had. Needs usage:read. */
  listFacets: { input: {
    of: string;
  }; answer: Schemas['Facets'] };
  /** List usage per user, model, provider and period, newest period first. Needs usage:read or usage:read:own. */
  queryUsage: { input: PageQuery & {
    period?: 'hourly' | 'daily' | 'weekly' | 'monthly';
    start_date?: string;
    end_date?: string;
    user_id?: string;
    model?: string;
    currency?: string;
    accept?: 'application/json' | 'text/csv';
  }; answer: Page<Schemas['UsageSummary']> | string };
  /** Reprice stored usage after a price was corrected. Needs prices:write. */
  createRerating: { input: Body<Schemas['BeginRerating']>; answer: Schemas['ReratingResponse'] };
  /** List re-ratings, newest first. Needs prices:read. */
  listReratings: { input: PageQuery; answer: Page<Schemas['ReratingResponse']> };
  /** Get a re-rating with its progress. Needs prices:read. */
  getRerating: { input: ById; answer: Schemas['ReratingResponse'] };
  /** List models with usage that has no known price, by provider and model. Needs prices:read. */
  listUnpricedModels: { input: PageQuery & {
    start_date?: string;
    end_date?: string;
  }; answer: Page<Schemas['UnpricedModel']> };
  /** Set a price or an alias for a provider and model. Needs prices:write. */
  putPrice: { input: Body<Schemas['PutPrice']>; answer: Schemas['PriceResponse'] };
  /** List own prices and aliases, newest first. Needs prices:read. */
  listPrices: { input: PageQuery; answer: Page<Schemas['PriceResponse']> };
  /** Delete an own price or alias. Needs prices:write. */
  deletePrice: { input: ById; answer: undefined };
  /** Set a contract discount for a provider and model. Needs prices:write. */
  putDiscount: { input: Body<Schemas['PutDiscount']>; answer: Schemas['DiscountResponse'] };
  /** List contract discounts, newest first. Needs prices:read. */
  listDiscounts: { input: PageQuery; answer: Page<Schemas['DiscountResponse']> };
  /** Get a contract discount. Needs prices:read. */
  getDiscount: { input: ById; answer: Schemas['DiscountResponse'] };
  /** Delete a contract discount. Needs prices:write. */
  deleteDiscount: { input: ById; answer: undefined };
  /** Set the exchange rate of a currency on a day. Needs prices:write. */
  putExchangeRate: { input: Body<Schemas['PutExchangeRate']>; answer: Schemas['ExchangeRateResponse'] };
  /** List exchange rates, the latest entry first. Needs prices:read. */
  listExchangeRates: { input: PageQuery & {
    currency?: string;
    date?: string;
  }; answer: Page<Schemas['ExchangeRateResponse']> };
  /** Get an exchange rate. Needs prices:read. */
  getExchangeRate: { input: ById; answer: Schemas['ExchangeRateResponse'] };
  /** Delete an exchange rate. Needs prices:write. */
  deleteExchangeRate: { input: ById; answer: undefined };
  /** Create a budget. Needs budgets:write. */
  createBudget: { input: Body<Schemas['CreateBudget']>; answer: Schemas['BudgetResponse'] };
  /** List budgets with their current spending, newest first. Needs budgets:read. */
  listBudgets: { input: PageQuery & {
    scope?: 'organization' | 'department' | 'user' | 'model';
    enforcement?: 'notify' | 'block';
  }; answer: Page<Schemas['BudgetResponse']> };
  /** Get a budget with its current spending. Needs budgets:read. */
  getBudget: { input: ById; answer: Schemas['BudgetResponse'] };
  /** Change the name, amount, enforcement or alert thresholds of a budget. Needs budgets:write. */
  updateBudget: { input: ById & Body<Schemas['UpdateBudget']>; answer: Schemas['BudgetResponse'] };
  /** Delete a budget and its recorded spending. Needs budgets:write. */
  deleteBudget: { input: ById; answer: undefined };
  /** List the parts of a split budget with their current spending. Needs budgets:read. */
  listBudgetParts: { input: ById & PageQuery & {
    part?: string;
  }; answer: Page<Schemas['BudgetPart']> };
  /** List the windows of a budget with their spending and alerts, the newest first. Needs budgets:read. */
  listBudgetHistory: { input: ById & PageQuery & {
    part?: string;
  }; answer: Page<Schemas['BudgetWindow']> };
  /** Set the amount of one part of a split budget. Needs budgets:write. */
  updateBudgetOverride: { input: ById & Body<Schemas['BudgetOverride']>; answer: Schemas['BudgetPart'] };
  /** Create a limit. Needs budgets:write. */
  createLimit: { input: Body<Schemas['CreateLimit']>; answer: Schemas['LimitResponse'] };
  /** List limits, newest first. Needs budgets:read. */
  listLimits: { input: PageQuery; answer: Page<Schemas['LimitResponse']> };
  /** Get a limit. Needs budgets:read. */
  getLimit: { input: ById; answer: Schemas['LimitResponse'] };
  /** Change the name or the numbers of a limit. Needs budgets:write. */
  updateLimit: { input: ById & Body<Schemas['UpdateLimit']>; answer: Schemas['LimitResponse'] };
  /** Delete a limit. Needs budgets:write. */
  deleteLimit: { input: ById; answer: undefined };
  /** List how much of a limit is used. Needs budgets:read. */
  listLimitParts: { input: ById & PageQuery & {
    part?: string;
  }; answer: Page<Schemas['LimitPart']> };
  /** List reservations in blocking budgets, newest decision first. Needs budgets:read. */
  listReservations: { input: PageQuery & {
    budget_id?: string;
  }; answer: Page<Schemas['ReservationResponse']> };
  /** Extend the reservation of a decision by a full term from now. Needs decisions:write. */
  extendReservation: { input: ById; answer: Schemas['ExtendedReservation'] };
  /** Show how many calls passed without governance. Needs decisions:read. */
  getOpenPasses: { input: Nothing; answer: Schemas['OpenPasses'] };
  /** Evaluate an access request (AuthZEN 1.0). Needs decisions:write. */
  decideAccess: { input: Body<Schemas['Evaluation']>; answer: Schemas['EvaluationAnswer'] };
  /** Evaluate up to 100 access requests (AuthZEN 1.0). Needs decisions:write. */
  decideAccessBatch: { input: Body<Schemas['EvaluationBatch']>; answer: Schemas['EvaluationBatchAnswer'] | Schemas['EvaluationAnswer'] };
  /** Decide about a tool call or a prompt of Claude Code (HTTP hook). Needs decisions:write. */
  decideClaudeCodeHook: { input: {
    on_allow?: 'none' | 'allow';
    on_alert?: 'none' | 'ask';
    tool_input?: 'none' | 'attributes';
    'X-Governance-User'?: string;
  } & Body<Schemas['ClaudeCodeHook']>; answer: Schemas['ClaudeCodeAnswer'] };
  /** Decide about a call of LiteLLM (generic guardrail API). Needs decisions:write. */
  decideLitellmCall: { input: Body<Schemas['LitellmGuardrail']>; answer: Schemas['LitellmGuardrailAnswer'] };
  /** Report usage by the log of LiteLLM (generic_api callback). Needs usage:write. */
  reportLitellmLogs: { input: {
    cost?: 'catalogue' | 'litellm';
  } & Body<Record<string, unknown>[] | string>; answer: Schemas['LitellmLogReceipt'] };
  /** Report usage by GenAI spans (OTLP/HTTP). Needs usage:write. */
  reportTraces: { input: {
    cost?: 'catalogue' | 'reported';
  } & Body<Schemas['OtlpTraces']>; answer: Schemas['OtlpTracesAnswer'] };
  /** Report usage by log events of Claude Code (OTLP/HTTP). Needs usage:write. */
  reportLogs: { input: {
    cost?: 'catalogue' | 'reported';
  } & Body<Schemas['OtlpLogs']>; answer: Schemas['OtlpLogsAnswer'] };
  /** Report usage by metrics of Claude Code (OTLP/HTTP). Needs usage:write. */
  reportMetrics: { input: {
    cost?: 'catalogue' | 'reported';
  } & Body<Schemas['OtlpMetrics']>; answer: Schemas['OtlpMetricsAnswer'] };
  /** Import users from CSV, with a report per line. Needs users:write. */
  importUsers: { input: {
    dry_run?: 'true' | 'false';
    mode?: 'create' | 'upsert';
    accept?: 'application/json' | 'application/x-ndjson';
  } & Body<string>; answer: Schemas['UserImportReport'] | string };
  /** List users by name. Needs users:read. */
  listUsers: { input: PageQuery & {
    status?: 'active' | 'inactive' | 'suspended';
    department?: string;
    q?: string;
  }; answer: Page<Schemas['UserResponse']> };
  /** Create a user. Needs users:write. */
  createUser: { input: Body<Schemas['CreateUser']>; answer: Schemas['UserResponse'] };
  /** Get a user; with the scope users:read:own, only yourself. Needs users:read or users:read:own. */
  getUser: { input: ById; answer: Schemas['UserResponse'] };
  /** Update a user; only the supplied fields change. Needs users:write. */
  updateUser: { input: ById & Body<Schemas['UpdateUser']>; answer: Schemas['UserResponse'] };
  /** Offboard a user: revokes the user's LLM access, at once or when the departure date comes. Needs users:write. */
  offboardUser: { input: ById & OptionalBody<Schemas['OffboardUser']>; answer: Schemas['OffboardedUser'] };
  /** Cancel an offboarding that is planned for later. Needs users:write. */
  cancelOffboarding: { input: ById; answer: undefined };
  /** Reinstate an offboarded user, or cancel a planned offboarding. Needs users:write. */
  reinstateUser: { input: ById & OptionalBody<Schemas['NoDetails']>; answer: Schemas['UserResponse'] };
  /** Export everything that is kept about a user. Needs users:read and tokens:read and audit:read and devices:read and policies:read and decisions:read and approvals:read and incidents:read and usage:read and budgets:read and itsm:read and anomalies:read and webhooks:read. */
  exportUser: { input: ById; answer: string };
  /** Erase a user's personal data, for good. Needs users:write and tokens:write and audit:read and devices:write and policies:write and decisions:read and approvals:write and incidents:write and usage:write and budgets:write and itsm:write and anomalies:write and webhooks:write. */
  eraseUser: { input: ById & OptionalBody<Schemas['EraseUser']>; answer: Schemas['ErasedUser'] };
  /** SCIM: list users. Needs scim:write. */
  listScimUsers: { input: {
    filter?: string;
    startIndex?: number;
    count?: number;
    attributes?: string;
    excludedAttributes?: string;
  }; answer: Schemas['ScimList'] };
  /** SCIM: create a user. Needs scim:write. */
  createScimUser: { input: {
    attributes?: string;
    excludedAttributes?: string;
  } & Body<Schemas['ScimUser']>; answer: Schemas['ScimUserResource'] };
  /** SCIM: search users by POST. Needs scim:write. */
  queryScimUsers: { input: Body<Schemas['ScimSearch']>; answer: Schemas['ScimList'] };
  /** SCIM: get a user. Needs scim:write. */
  getScimUser: { input: ById & {
    'if-none-match'?: string;
    attributes?: string;
    excludedAttributes?: string;
  }; answer: Schemas['ScimUserResource'] };
  /** SCIM: replace a user. Needs scim:write. */
  putScimUser: { input: ById & {
    'if-match'?: string;
    attributes?: string;
    excludedAttributes?: string;
  } & Body<Schemas['ScimUser']>; answer: Schemas['ScimUserResource'] };
  /** SCIM: change a user. Needs scim:write. */
  updateScimUser: { input: ById & {
    'if-match'?: string;
    attributes?: string;
    excludedAttributes?: string;
  } & Body<Schemas['ScimPatch']>; answer: Schemas['ScimUserResource'] };
  /** SCIM: remove a user. Needs scim:write. */
  deleteScimUser: { input: ById & {
    'if-match'?: string;
  }; answer: undefined };
  /** SCIM: list groups. Needs scim:write. */
  listScimGroups: { input: {
    filter?: string;
    startIndex?: number;
    count?: number;
    attributes?: string;
    excludedAttributes?: string;
  }; answer: Schemas['ScimList'] };
  /** SCIM: create a group. Needs scim:write. */
  createScimGroup: { input: {
    attributes?: string;
    excludedAttributes?: string;
  } & Body<Schemas['ScimGroup']>; answer: Schemas['ScimGroupResource'] };
  /** SCIM: search groups by POST. Needs scim:write. */
  queryScimGroups: { input: Body<Schemas['ScimSearch']>; answer: Schemas['ScimList'] };
  /** SCIM: get a group. Needs scim:write. */
  getScimGroup: { input: ById & {
    'if-none-match'?: string;
    attributes?: string;
    excludedAttributes?: string;
  }; answer: Schemas['ScimGroupResource'] };
  /** SCIM: replace a group and its members. Needs scim:write. */
  putScimGroup: { input: ById & {
    'if-match'?: string;
    attributes?: string;
    excludedAttributes?: string;
  } & Body<Schemas['ScimGroup']>; answer: Schemas['ScimGroupResource'] };
  /** SCIM: change a group or its members. Needs scim:write. */
  updateScimGroup: { input: ById & {
    'if-match'?: string;
    attributes?: string;
    excludedAttributes?: string;
  } & Body<Schemas['ScimPatch']>; answer: Schemas['ScimGroupResource'] | undefined };
  /** SCIM: remove a group. Needs scim:write. */
  deleteScimGroup: { input: ById & {
    'if-match'?: string;
  }; answer: undefined };
  /** SCIM: search users and groups by POST. Needs scim:write. */
  queryScimResources: { input: Body<Schemas['ScimSearch']>; answer: Schemas['ScimList'] };
  /** SCIM: get the features that the server supports. Needs scim:write. */
  getScimConfig: { input: Nothing; answer: Schemas['ScimConfig'] };
  /** SCIM: list the resource types. Needs scim:write. */
  listScimResourceTypes: { input: Nothing; answer: Schemas['ScimList'] };
  /** SCIM: get a resource type. Needs scim:write. */
  getScimResourceType: { input: {
    name: string;
  }; answer: Schemas['ScimResourceType'] };
  /** SCIM: list the schemas. Needs scim:write. */
  listScimSchemas: { input: Nothing; answer: Schemas['ScimList'] };
  /** SCIM: get a schema. Needs scim:write. */
  getScimSchema: { input: {
    urn: string;
  }; answer: Schemas['ScimSchema'] };
  /** Create a one-time token to enroll a device of a user. Needs devices:write. */
  createDeviceEnrollment: { input: Body<Schemas['CreateEnrollment']>; answer: Schemas['EnrollmentResponse'] };
  /** Cancel an enrollment whose token was not used. Needs devices:write. */
  deleteDeviceEnrollment: { input: ById; answer: undefined };
  /** Enroll a device; the enrollment token is the credential. */
  enrollDevice: { input: Body<Schemas['EnrollDevice']>; answer: Schemas['DeviceWithCertificateResponse'] };
  /** Issue a certificate for a new key of a device; its current key is the credential. */
  renewDevice: { input: ById & Body<Schemas['RenewDevice']>; answer: Schemas['DeviceWithCertificateResponse'] };
  /** Get the public revocation list of an authority, to which its certificates point. */
  getRevocationListOfAuthority: { input: ById; answer: Uint8Array };
  /** List devices, newest enrollment first. Needs devices:read or devices:read:own. */
  listDevices: { input: PageQuery & {
    user_id?: string;
    status?: 'active' | 'expired' | 'revoked';
  }; answer: Page<Schemas['DeviceResponse']> };
  /** Get the revocation lists of the organization’s authorities. Needs devices:read. */
  getRevocationList: { input: {
    accept?: 'application/x-pem-file' | 'application/pkix-crl';
  }; answer: string | Uint8Array };
  /** Get the certificates of the organization’s authorities. Needs devices:read. */
  getDeviceAuthorities: { input: Nothing; answer: string };
  /** Get a device. Needs devices:read or devices:read:own. */
  getDevice: { input: ById; answer: Schemas['DeviceResponse'] };
  /** Revoke a device and all its certificates permanently. Needs devices:write. */
  revokeDevice: { input: ById & OptionalBody<Schemas['RevokeDevice']>; answer: Schemas['DeviceResponse'] };
  /** List the supported ticket platforms with the schemas of their settings. Needs itsm:read. */
  listConnectorKinds: { input: Nothing; answer: Page<Schemas['ConnectorKind']> };
  /** Show which connectors would open a ticket for an incident, and why. Needs itsm:read. */
  simulateTicketRoute: { input: Body<Schemas['RouteTicket']>; answer: Schemas['TicketRoutes'] };
  /** List connectors, the newest first. Needs itsm:read. */
  listConnectors: { input: PageQuery; answer: Page<Schemas['ConnectorResponse']> };
  /** Create a connector. Needs itsm:write. */
  createConnector: { input: Body<Schemas['CreateConnector']>; answer: Schemas['ConnectorResponse'] };
  /** Get a connector. Needs itsm:read. */
  getConnector: { input: ById; answer: Schemas['ConnectorResponse'] };
  /** Change the supplied fields of a connector, or activate or deactivate it. Needs itsm:write. */
  updateConnector: { input: ById & Body<Schemas['ChangeConnector']>; answer: Schemas['ConnectorResponse'] };
  /** Delete a connector permanently. Needs itsm:write. */
  deleteConnector: { input: ById; answer: undefined };
  /** Test a connector, and create a test ticket of low severity. Needs itsm:write. */
  testConnector: { input: ById; answer: Schemas['ConnectorTest'] };
  /** List tickets, the newest first. Needs itsm:read. */
  listTickets: { input: PageQuery & {
    status?: 'open' | 'in_progress' | 'resolved' | 'closed';
    sync_state?: 'pending' | 'created' | 'rejected' | 'uncertain';
    connector_id?: string;
    incident_id?: string;
    kind?: string;
  }; answer: Page<Schemas['TicketResponse']> };
  /** Get a ticket. Needs itsm:read. */
  getTicket: { input: ById; answer: Schemas['TicketResponse'] };
  /** Retry the creation of a ticket. Needs itsm:write. */
  retryTicket: { input: ById; answer: Schemas['TicketResponse'] };
  /** Open a ticket for an incident, or preview it. Needs itsm:write. */
  createIncidentTicket: { input: ById & Body<Schemas['OpenTicket']>; answer: Schemas['RenderedTicket'] | Schemas['TicketResponse'] };
  /** Get the networks that may report on tickets. Needs itsm:read. */
  getInboundSettings: { input: Nothing; answer: Schemas['InboundSettingsResponse'] };
  /** Set the networks that may report on tickets. Needs itsm:write. */
  putInboundSettings: { input: Body<Schemas['ReplaceInboundSettings']>; answer: Schemas['InboundSettingsResponse'] };
  /** Report the status of a ticket. */
  reportTicketStatus: { input: {
    org_id: string;
    connector_id?: string;
    'X-Hub-Signature'?: string;
    'X-Report-Secret'?: string;
  } & Body<Schemas['InboundReport']>; answer: Schemas['InboundReceipt'] | undefined };
  /** List workspaces, the newest first. Needs itsm:read. */
  listChatWorkspaces: { input: PageQuery; answer: Page<Schemas['WorkspaceResponse']> };
  /** Register a chat workspace. Needs itsm:write and policies:read and policies:write and approvals:read and approvals:read:own and approvals:write and decisions:write and decisions:read and incidents:read and incidents:read:own and incidents:write and anomalies:read and anomalies:write and usage:read and usage:read:own and usage:write and prices:read and prices:write and budgets:read and budgets:write and gateway:read and gateway:write and gateway:call and webhooks:read and webhooks:write and itsm:read and users:read and users:read:own and users:write and devices:read and devices:read:own and devices:write and scim:write and tokens:read and tokens:write and audit:read and organization:read and organization:write. */
  registerChatWorkspace: { input: Body<Schemas['RegisterWorkspace']>; answer: Schemas['WorkspaceResponse'] };
  /** Replace secrets or notifications of a workspace. Needs itsm:write and policies:read and policies:write and approvals:read and approvals:read:own and approvals:write and decisions:write and decisions:read and incidents:read and incidents:read:own and incidents:write and anomalies:read and anomalies:write and usage:read and usage:read:own and usage:write and prices:read and prices:write and budgets:read and budgets:write and gateway:read and gateway:write and gateway:call and webhooks:read and webhooks:write and itsm:read and users:read and users:read:own and users:write and devices:read and devices:read:own and devices:write and scim:write and tokens:read and tokens:write and audit:read and organization:read and organization:write. */
  updateChatWorkspace: { input: ById & Body<Schemas['ChangeWorkspace']>; answer: Schemas['WorkspaceResponse'] };
  /** Remove a chat workspace and its links. Needs itsm:write. */
  deleteChatWorkspace: { input: ById; answer: undefined };
  /** List the links of chat accounts to users, the newest first. Needs itsm:read. */
  listChatLinks: { input: PageQuery; answer: Page<Schemas['LinkResponse']> };
  /** Link a chat account to a user. Needs itsm:write. */
  createChatLink: { input: Body<Schemas['CreateLink']>; answer: Schemas['LinkResponse'] };
  /** Remove the link of a chat account. Needs itsm:write. */
  deleteChatLink: { input: ById; answer: undefined };
  /** Check that the request URL of chat commands is reachable. */
  testChatCommandUrl: { input: {
    platform: string;
  }; answer: Schemas['ChatProbe'] };
  /** Run a chat command. */
  runChatCommand: { input: {
    platform: string;
    'X-Slack-Request-Timestamp'?: string;
    'X-Slack-Signature'?: string;
  } & Body<string>; answer: Record<string, unknown> };
  /** Check that the request URL of interactivity is reachable. */
  testChatInteractionUrl: { input: {
    platform: string;
  }; answer: Schemas['ChatProbe'] };
  /** Report a pressed button. */
  reportChatPress: { input: {
    platform: string;
    'X-Slack-Request-Timestamp'?: string;
    'X-Slack-Signature'?: string;
  } & Body<string>; answer: string };
  /** Get the health of a webhook by the hour. Needs webhooks:read. */
  getWebhookHealth: { input: ById & {
    hours?: number;
  }; answer: Schemas['HourlyHealthResponse'] };
  /** List webhooks, the newest first. Needs webhooks:read. */
  listWebhooks: { input: PageQuery; answer: Page<Schemas['WebhookResponse']> };
  /** Register a webhook. Needs webhooks:write. */
  registerWebhook: { input: Body<Schemas['RegisterWebhook']>; answer: Schemas['WebhookWithSecretResponse'] };
  /** Get a webhook. Needs webhooks:read. */
  getWebhook: { input: ById; answer: Schemas['WebhookResponse'] };
  /** Change fields of a webhook, pause it, resume it. Needs webhooks:write. */
  updateWebhook: { input: ById & Body<Schemas['ChangeWebhook']>; answer: Schemas['WebhookResponse'] };
  /** Delete a webhook for good. Needs webhooks:write. */
  deleteWebhook: { input: ById; answer: undefined };
  /** Rotate the signing secret. Needs webhooks:write. */
  rotateWebhookSecret: { input: ById & OptionalBody<Schemas['RotateSecret']>; answer: Schemas['WebhookWithSecretResponse'] };
  /** List deliveries with their attempts, the newest first. Needs webhooks:read. */
  listDeliveries: { input: ById & PageQuery & {
    status?: 'pending' | 'delivering' | 'delivered' | 'failed' | 'cancelled';
    event_type?: 'policy_violation' | 'budget_exceeded' | 'budget_warning' | 'user_locked_out' | 'anomaly_detected' | 'device_enrolled' | 'device_revoked' | 'token_expiring' | 'audit_anchor' | 'ping';
    event_id?: string;
    since?: string;
  }; answer: Page<Schemas['DeliveryResponse']> };
  /** Get a delivery with all its attempts. Needs webhooks:read. */
  getDelivery: { input: ById & {
    delivery_id: string;
  }; answer: Schemas['DeliveryResponse'] };
  /** Retry a failed delivery once. Needs webhooks:write. */
  retryDelivery: { input: ById & {
    delivery_id: string;
  }; answer: Schemas['DeliveryResponse'] };
  /** Retry all deliveries that failed since a time. Needs webhooks:write. */
  recoverDeliveries: { input: ById & Body<Schemas['Recover']>; answer: Schemas['RecoveryResponse'] };
  /** Send a ping to a webhook. Needs webhooks:write. */
  testWebhook: { input: ById; answer: Schemas['DeliveryResponse'] };
  /** List deliveries of all webhooks with their attempts, the newest first. Needs webhooks:read. */
  listAllDeliveries: { input: PageQuery & {
    status?: 'pending' | 'delivering' | 'delivered' | 'failed' | 'cancelled';
    event_type?: 'policy_violation' | 'budget_exceeded' | 'budget_warning' | 'user_locked_out' | 'anomaly_detected' | 'device_enrolled' | 'device_revoked' | 'token_expiring' | 'audit_anchor' | 'ping';
    event_id?: string;
    since?: string;
  }; answer: Page<Schemas['DeliveryResponse']> };
  /** Get a delivery with what was sent and what was answered. Needs webhooks:read. */
  getDeliveryExchange: { input: ById; answer: Schemas['DeliveryExchangeResponse'] };
  /** List the types of events, each with the JSON Schema of its data and an example. Needs webhooks:read. */
  listEventTypes: { input: Nothing; answer: Page<Schemas['EventTypeResponse']> };
  /** List anomalies, newest first. Needs anomalies:read. */
  listAnomalies: { input: PageQuery & {
    kind?: 'usage_spike' | 'pre_departure';
    user_id?: string;
    incident_id?: string;
    feedback?: 'expected' | 'unexpected' | 'none';
  }; answer: Page<Schemas['AnomalyResponse']> };
  /** Get the settings of anomaly detection. Needs anomalies:read. */
  getAnomalySettings: { input: Nothing; answer: Schemas['AnomalySettingsResponse'] };
  /** Change the settings of anomaly detection. Needs anomalies:write. */
  putAnomalySettings: { input: Body<Schemas['AnomalySettings']>; answer: Schemas['AnomalySettingsResponse'] };
  /** Simulate settings on the usage of the last days. Needs anomalies:read and usage:read. */
  simulateAnomalies: { input: Body<Schemas['AnomalySimulation']>; answer: Schemas['AnomalySimulationResponse'] };
  /** Get an anomaly. Needs anomalies:read. */
  getAnomaly: { input: ById; answer: Schemas['AnomalyResponse'] };
  /** Give feedback on whether an anomaly was expected. Needs anomalies:write. */
  judgeAnomaly: { input: ById & Body<Schemas['AnomalyFeedback']>; answer: Schemas['AnomalyResponse'] };
  /** Get who you are and what you may do. Needs policies:read or policies:write or approvals:read or approvals:read:own or approvals:write or decisions:write or decisions:read or incidents:read or incidents:read:own or incidents:write or anomalies:read or anomalies:write or usage:read or usage:read:own or usage:write or prices:read or prices:write or budgets:read or budgets:write or gateway:read or gateway:write or gateway:call or webhooks:read or webhooks:write or itsm:read or itsm:write or users:read or users:read:own or users:write or devices:read or devices:read:own or devices:write or scim:write or tokens:read or tokens:write or audit:read or organization:read or organization:write. */
  getMe: { input: Nothing; answer: Schemas['MeResponse'] };
  /** List active sessions of the dashboard, newest first. Needs policies:read or policies:write or approvals:read or approvals:read:own or approvals:write or decisions:write or decisions:read or incidents:read or incidents:read:own or incidents:write or anomalies:read or anomalies:write or usage:read or usage:read:own or usage:write or prices:read or prices:write or budgets:read or budgets:write or gateway:read or gateway:write or gateway:call or webhooks:read or webhooks:write or itsm:read or itsm:write or users:read or users:read:own or users:write or devices:read or devices:read:own or devices:write or scim:write or tokens:read or tokens:write or audit:read or organization:read or organization:write. */
  listSessions: { input: PageQuery; answer: Page<Schemas['SessionResponse']> };
  /** End a session of the dashboard. Needs policies:read or policies:write or approvals:read or approvals:read:own or approvals:write or decisions:write or decisions:read or incidents:read or incidents:read:own or incidents:write or anomalies:read or anomalies:write or usage:read or usage:read:own or usage:write or prices:read or prices:write or budgets:read or budgets:write or gateway:read or gateway:write or gateway:call or webhooks:read or webhooks:write or itsm:read or itsm:write or users:read or users:read:own or users:write or devices:read or devices:read:own or devices:write or scim:write or tokens:read or tokens:write or audit:read or organization:read or organization:write. */
  revokeSession: { input: ById; answer: undefined };
  /** Create a link that signs one browser in as you. Needs policies:read or policies:write or approvals:read or approvals:read:own or approvals:write or decisions:write or decisions:read or incidents:read or incidents:read:own or incidents:write or anomalies:read or anomalies:write or usage:read or usage:read:own or usage:write or prices:read or prices:write or budgets:read or budgets:write or gateway:read or gateway:write or gateway:call or webhooks:read or webhooks:write or itsm:read or itsm:write or users:read or users:read:own or users:write or devices:read or devices:read:own or devices:write or scim:write or tokens:read or tokens:write or audit:read or organization:read or organization:write. */
  createSignInLink: { input: Body<Schemas['MakeSignInLink']>; answer: Schemas['SignInLinkResponse'] };
  /** Get an overview of everything that needs attention. Needs incidents:read or webhooks:read or itsm:read or budgets:read or approvals:read or anomalies:read or usage:read:own. */
  getOverview: { input: Nothing; answer: Schemas['OverviewResponse'] };
  /** Search by name, address or id. Needs users:read or policies:read or approvals:read or decisions:read or incidents:read or webhooks:read or itsm:read or budgets:read or anomalies:read. */
  search: { input: {
    q: string;
  }; answer: Schemas['SearchResponse'] };
  /** Follow everything that changes. Needs incidents:read or incidents:read:own or itsm:read or approvals:read or approvals:read:own or policies:read or decisions:read or usage:read or usage:read:own or budgets:read or prices:read or webhooks:read or anomalies:read or users:read or devices:read or audit:read. */
  streamTopics: { input: {
    topics: string;
    'last-event-id'?: string;
  }; answer: Response };
  /** Follow changes of incidents as they happen. Needs incidents:read or incidents:read:own. */
  streamIncidents: { input: {
    after?: number;
    'last-event-id'?: string;
  }; answer: Response };
  /** List incidents, newest first. Needs incidents:read or incidents:read:own. */
  listIncidents: { input: PageQuery & {
    status?: string;
    severity?: string;
    type?: string;
    user_id?: string;
    policy_id?: string;
    model?: string;
    provider?: string;
    since?: string;
    until?: string;
    sort?: 'newest' | 'oldest';
  }; answer: Page<Schemas['IncidentResponse']> };
  /** Acknowledge, resolve or annotate several incidents at once. Needs incidents:write. */
  updateIncidents: { input: Body<Schemas['ChangeIncidents']>; answer: Schemas['IncidentOutcomes'] };
  /** Get an incident with the newest 50 entries of its timeline. Needs incidents:read or incidents:read:own. */
  getIncident: { input: ById; answer: Schemas['IncidentView'] };
  /** Acknowledge, reopen, resolve or annotate an incident. Needs incidents:write. */
  updateIncident: { input: ById & Body<Schemas['ChangeIncident']>; answer: Schemas['IncidentResponse'] };
  /** List the timeline of an incident, newest first. Needs incidents:read or incidents:read:own. */
  listIncidentTimeline: { input: ById & PageQuery; answer: Page<Schemas['TimelineItem']> };
  /** Get the organization of the caller. Needs organization:read. */
  getOrganization: { input: Nothing; answer: Schemas['OrganizationResponse'] };
  /** Change the organization of the caller. Needs organization:write. */
  updateOrganization: { input: Body<Schemas['UpdateOrganization']>; answer: Schemas['OrganizationResponse'] };
  /** Create an access token. Needs tokens:write. */
  createToken: { input: Body<Schemas['CreateToken']>; answer: Schemas['CreatedTokenResponse'] };
  /** List access tokens, newest first. Needs tokens:read. */
  listTokens: { input: PageQuery & {
    issued_by?: string;
    user_id?: string;
    project?: string;
  }; answer: Page<Schemas['TokenResponse']> };
  /** Revoke every access token that a person created. Needs tokens:write. */
  revokeTokens: { input: {
    issued_by: string;
  }; answer: Schemas['RevokedTokens'] };
  /** Rotate the secret of an access token. Needs tokens:write. */
  rotateToken: { input: ById & Body<Schemas['RotateToken']>; answer: Schemas['CreatedTokenResponse'] };
  /** Revoke an access token. Needs tokens:write. */
  revokeToken: { input: ById; answer: undefined };
  /** List accounts at identity providers that are linked to users, newest first. Needs tokens:read. */
  listIdentities: { input: PageQuery & {
    user_id?: string;
  }; answer: Page<Schemas['IdentityResponse']> };
  /** Unlink an account from its user. Needs tokens:write. */
  deleteIdentity: { input: ById; answer: undefined };
  /** List changes, newest first. Needs audit:read. */
  listAuditRecords: { input: PageQuery & {
    q?: string;
    action?: string;
    resource_type?: string;
    resource_id?: string;
    actor_id?: string;
    since?: string;
    until?: string;
  }; answer: Page<Schemas['AuditRecordResponse']> };
  /** Export the configuration as one document. Needs organization:read and policies:read and prices:read and budgets:read and users:read and webhooks:read and itsm:read and anomalies:read. */
  getConfiguration: { input: Nothing; answer: {
    /** Version of the format. */
    version: 1;
    [name: string]: unknown;
  } };
  /** Make the configuration say what a document says. Needs organization:write. */
  putConfiguration: { input: {
    dry_run?: 'true' | 'false';
    prune?: 'true' | 'false';
  } & Body<{
    /** Version of the format. */
    version: 1;
    [name: string]: unknown;
  }>; answer: Schemas['ConfigurationReport'] };
  /** Whether the process is up. */
  getLiveness: { input: Nothing; answer: Schemas['Health'] };
  /** Whether requests can be served. */
  getReadiness: { input: Nothing; answer: Schemas['Health'] };
}

/** Method and path of each operation; then its parameters in headers; then its content type other than JSON. */
export const OPERATIONS = {
  listGatewayProviders: 'GET /v1/gateway/providers',
  getGatewayProvider: 'GET /v1/gateway/providers/{name}',
  putGatewayProvider: 'PUT /v1/gateway/providers/{name}',
  deleteGatewayProvider: 'DELETE /v1/gateway/providers/{name}',
  decide: 'POST /v1/decisions',
  listDecisions: 'GET /v1/decisions',
  decideBatch: 'POST /v1/decisions/batch',
  releaseReservation: 'POST /v1/decisions/{id}/release',
  getDecision: 'GET /v1/decisions/{id}',
  getDecisionExplanation: 'GET /v1/decisions/{id}/explanation',
  listPolicyHits: 'GET /v1/policies/hits',
  listPolicyHitWindows: 'GET /v1/policies/{id}/hits',
  listPolicies: 'GET /v1/policies',
  createPolicy: 'POST /v1/policies',
  getPolicy: 'GET /v1/policies/{id}',
  updatePolicy: 'PUT /v1/policies/{id}',
  deletePolicy: 'DELETE /v1/policies/{id}',
  listPolicyVersions: 'GET /v1/policies/{id}/versions',
  getPolicyVersion: 'GET /v1/policies/{id}/versions/{version}',
  getPolicyDiff: 'GET /v1/policies/{id}/versions/{version}/diff',
  restorePolicy: 'POST /v1/policies/{id}/restore',
  simulatePolicy: 'POST /v1/policies/simulate|accept',
  listApprovals: 'GET /v1/approvals',
  getApproval: 'GET /v1/approvals/{id}',
  approveRequest: 'POST /v1/approvals/{id}/approve',
  denyRequest: 'POST /v1/approvals/{id}/deny',
  revokeGrant: 'POST /v1/approvals/{id}/revoke',
  reportUsage: 'POST /v1/usage/events||application/x-ndjson',
  getUsageEvent: 'GET /v1/usage/events/{id}',
  queryUsageAsFocus: 'GET /v1/usage/focus',
  getUsageSeries: 'GET /v1/usage/series|accept',
  getUsageBreakdown: 'GET /v1/usage/breakdown|accept',
  listFacets: 'GET /v1/facets',
  queryUsage: 'GET /v1/usage|accept',
  createRerating: 'POST /v1/prices/reratings',
  listReratings: 'GET /v1/prices/reratings',
  getRerating: 'GET /v1/prices/reratings/{id}',
  listUnpricedModels: 'GET /v1/prices/unpriced',
  putPrice: 'PUT /v1/prices',
  listPrices: 'GET /v1/prices',
  deletePrice: 'DELETE /v1/prices/{id}',
  putDiscount: 'PUT /v1/discounts',
  listDiscounts: 'GET /v1/discounts',
  getDiscount: 'GET /v1/discounts/{id}',
  deleteDiscount: 'DELETE /v1/discounts/{id}',
  putExchangeRate: 'PUT /v1/exchange-rates',
  listExchangeRates: 'GET /v1/exchange-rates',
  getExchangeRate: 'GET /v1/exchange-rates/{id}',
  deleteExchangeRate: 'DELETE /v1/exchange-rates/{id}',
  createBudget: 'POST /v1/budgets',
  listBudgets: 'GET /v1/budgets',
  getBudget: 'GET /v1/budgets/{id}',
  updateBudget: 'PATCH /v1/budgets/{id}',
  deleteBudget: 'DELETE /v1/budgets/{id}',
  listBudgetParts: 'GET /v1/budgets/{id}/parts',
  listBudgetHistory: 'GET /v1/budgets/{id}/history',
  updateBudgetOverride: 'PUT /v1/budgets/{id}/overrides',
  createLimit: 'POST /v1/limits',
  listLimits: 'GET /v1/limits',
  getLimit: 'GET /v1/limits/{id}',
  updateLimit: 'PATCH /v1/limits/{id}',
  deleteLimit: 'DELETE /v1/limits/{id}',
  listLimitParts: 'GET /v1/limits/{id}/parts',
  listReservations: 'GET /v1/reservations',
  extendReservation: 'POST /v1/reservations/{id}/extend',
  getOpenPasses: 'GET /v1/calls/open-passes',
  decideAccess: 'POST /access/v1/evaluation',
  decideAccessBatch: 'POST /access/v1/evaluations',
  decideClaudeCodeHook: 'POST /v1/integrations/claude-code/hook|X-Governance-User',
  decideLitellmCall: 'POST /v1/integrations/litellm/beta/litellm_basic_guardrail_api',
  reportLitellmLogs: 'POST /v1/integrations/litellm/logs||application/x-ndjson',
  reportTraces: 'POST /v1/integrations/otlp/v1/traces',
  reportLogs: 'POST /v1/integrations/otlp/v1/logs',
  reportMetrics: 'POST /v1/integrations/otlp/v1/metrics',
  importUsers: 'POST /v1/users/import|accept|text/csv',
  listUsers: 'GET /v1/users',
  createUser: 'POST /v1/users',
  getUser: 'GET /v1/users/{id}',
  updateUser: 'PUT /v1/users/{id}',
  offboardUser: 'POST /v1/users/{id}/offboard',
  cancelOffboarding: 'DELETE /v1/users/{id}/offboard',
  reinstateUser: 'POST /v1/users/{id}/reinstate',
  exportUser: 'POST /v1/users/{id}/export',
  eraseUser: 'POST /v1/users/{id}/erase',
  listScimUsers: 'GET /scim/v2/Users',
  createScimUser: 'POST /scim/v2/Users',
  queryScimUsers: 'POST /scim/v2/Users/.search',
  getScimUser: 'GET /scim/v2/Users/{id}|if-none-match',
  putScimUser: 'PUT /scim/v2/Users/{id}|if-match',
  updateScimUser: 'PATCH /scim/v2/Users/{id}|if-match',
  deleteScimUser: 'DELETE /scim/v2/Users/{id}|if-match',
  listScimGroups: 'GET /scim/v2/Groups',
  createScimGroup: 'POST /scim/v2/Groups',
  queryScimGroups: 'POST /scim/v2/Groups/.search',
  getScimGroup: 'GET /scim/v2/Groups/{id}|if-none-match',
  putScimGroup: 'PUT /scim/v2/Groups/{id}|if-match',
  updateScimGroup: 'PATCH /scim/v2/Groups/{id}|if-match',
  deleteScimGroup: 'DELETE /scim/v2/Groups/{id}|if-match',
  queryScimResources: 'POST /scim/v2/.search',
  getScimConfig: 'GET /scim/v2/ServiceProviderConfig',
  listScimResourceTypes: 'GET /scim/v2/ResourceTypes',
  getScimResourceType: 'GET /scim/v2/ResourceTypes/{name}',
  listScimSchemas: 'GET /scim/v2/Schemas',
  getScimSchema: 'GET /scim/v2/Schemas/{urn}',
  createDeviceEnrollment: 'POST /v1/devices/enrollments',
  deleteDeviceEnrollment: 'DELETE /v1/devices/enrollments/{id}',
  enrollDevice: 'POST /v1/devices/enroll',
  renewDevice: 'POST /v1/devices/{id}/renew',
  getRevocationListOfAuthority: 'GET /v1/devices/authorities/{id}/crl',
  listDevices: 'GET /v1/devices',
  getRevocationList: 'GET /v1/devices/crl|accept',
  getDeviceAuthorities: 'GET /v1/devices/ca',
  getDevice: 'GET /v1/devices/{id}',
  revokeDevice: 'POST /v1/devices/{id}/revoke',
  listConnectorKinds: 'GET /v1/itsm/kinds',
  simulateTicketRoute: 'POST /v1/itsm/route',
  listConnectors: 'GET /v1/itsm/connectors',
  createConnector: 'POST /v1/itsm/connectors',
  getConnector: 'GET /v1/itsm/connectors/{id}',
  updateConnector: 'PATCH /v1/itsm/connectors/{id}',
  deleteConnector: 'DELETE /v1/itsm/connectors/{id}',
  testConnector: 'POST /v1/itsm/connectors/{id}/test',
  listTickets: 'GET /v1/itsm/tickets',
  getTicket: 'GET /v1/itsm/tickets/{id}',
  retryTicket: 'POST /v1/itsm/tickets/{id}/retry',
  createIncidentTicket: 'POST /v1/incidents/{id}/tickets',
  getInboundSettings: 'GET /v1/itsm/inbound',
  putInboundSettings: 'PUT /v1/itsm/inbound',
  reportTicketStatus: 'POST /v1/integrations/itsm/webhook/{org_id}|X-Hub-Signature,X-Report-Secret',
  listChatWorkspaces: 'GET /v1/chat/workspaces',
  registerChatWorkspace: 'POST /v1/chat/workspaces',
  updateChatWorkspace: 'PATCH /v1/chat/workspaces/{id}',
  deleteChatWorkspace: 'DELETE /v1/chat/workspaces/{id}',
  listChatLinks: 'GET /v1/chat/links',
  createChatLink: 'POST /v1/chat/links',
  deleteChatLink: 'DELETE /v1/chat/links/{id}',
  testChatCommandUrl: 'GET /v1/integrations/{platform}/commands',
  runChatCommand: 'POST /v1/integrations/{platform}/commands|X-Slack-Request-Timestamp,X-Slack-Signature|application/x-www-form-urlencoded',
  testChatInteractionUrl: 'GET /v1/integrations/{platform}/interactions',
  reportChatPress: 'POST /v1/integrations/{platform}/interactions|X-Slack-Request-Timestamp,X-Slack-Signature|application/x-www-form-urlencoded',
  getWebhookHealth: 'GET /v1/webhooks/{id}/health',
  listWebhooks: 'GET /v1/webhooks',
  registerWebhook: 'POST /v1/webhooks',
  getWebhook: 'GET /v1/webhooks/{id}',
  updateWebhook: 'PATCH /v1/webhooks/{id}',
  deleteWebhook: 'DELETE /v1/webhooks/{id}',
  rotateWebhookSecret: 'POST /v1/webhooks/{id}/rotate-secret',
  listDeliveries: 'GET /v1/webhooks/{id}/deliveries',
  getDelivery: 'GET /v1/webhooks/{id}/deliveries/{delivery_id}',
  retryDelivery: 'POST /v1/webhooks/{id}/deliveries/{delivery_id}/retry',
  recoverDeliveries: 'POST /v1/webhooks/{id}/recover',
  testWebhook: 'POST /v1/webhooks/{id}/test',
  listAllDeliveries: 'GET /v1/deliveries',
  getDeliveryExchange: 'GET /v1/deliveries/{id}',
  listEventTypes: 'GET /v1/events/types',
  listAnomalies: 'GET /v1/anomalies',
  getAnomalySettings: 'GET /v1/anomalies/settings',
  putAnomalySettings: 'PUT /v1/anomalies/settings',
  simulateAnomalies: 'POST /v1/anomalies/simulate',
  getAnomaly: 'GET /v1/anomalies/{id}',
  judgeAnomaly: 'POST /v1/anomalies/{id}/feedback',
  getMe: 'GET /v1/me',
  listSessions: 'GET /v1/sessions',
  revokeSession: 'DELETE /v1/sessions/{id}',
  createSignInLink: 'POST /v1/sessions/links',
  getOverview: 'GET /v1/overview',
  search: 'GET /v1/search',
  streamTopics: 'GET /v1/stream|last-event-id',
  streamIncidents: 'GET /v1/incidents/stream|last-event-id',
  listIncidents: 'GET /v1/incidents',
  updateIncidents: 'POST /v1/incidents/bulk',
  getIncident: 'GET /v1/incidents/{id}',
  updateIncident: 'PATCH /v1/incidents/{id}',
  listIncidentTimeline: 'GET /v1/incidents/{id}/timeline',
  getOrganization: 'GET /v1/organization',
  updateOrganization: 'PATCH /v1/organization',
  createToken: 'POST /v1/tokens',
  listTokens: 'GET /v1/tokens',
  revokeTokens: 'DELETE /v1/tokens',
  rotateToken: 'POST /v1/tokens/{id}/rotate',
  revokeToken: 'DELETE /v1/tokens/{id}',
  listIdentities: 'GET /v1/identities',
  deleteIdentity: 'DELETE /v1/identities/{id}',
  listAuditRecords: 'GET /v1/audit-log',
  getConfiguration: 'GET /v1/configuration',
  putConfiguration: 'PUT /v1/configuration',
  getLiveness: 'GET /health/live',
  getReadiness: 'GET /health/ready',
} as const satisfies Record<keyof Operations, string>;
