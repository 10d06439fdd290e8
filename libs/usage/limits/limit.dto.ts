import { ApiSchema } from '@nestjs/swagger';
import {
  CheckedField,
  ChoiceField,
  IgnoresReadOnly,
  IntegerField,
  PageQueryDto,
  UuidField,
  presenterOf,
  f,
  dtoOf,
} from '#access';
import { BUDGET_SCOPES, type BudgetScope } from '#outbox';
import { FIXED } from '../budgets/budget-fields.js';
import { BUDGET_TEXT_MAX } from '../budgets/budget-rules.js';
import {
  SCOPE_SPLITS,
  scopeFault,
  scopeOf,
  type ScopeMatch,
  type ScopeSplit,
  type WireScope,
} from '../scopes/index.js';
import type { Limit } from './limit.entity.js';
import { LIMIT_MAX, nameFault, type LimitDraft } from './limit-rules.js';

const TEXT = { type: String, minLength: 1, maxLength: BUDGET_TEXT_MAX } as const;
const NAME = { description: 'A label for people. Not blank; counted in Unicode code points.', example: 'Each person' };
const SCOPE = {
  description:
    'Requests to limit: one word, or an object of conditions that must all hold. The fields are `department`, ' +
    '`project`, `model`, `user_id`, `token` and `tags.<key>`.',
  example: { project: 'copilot', model: 'gpt-5*' },
};
const SCOPE_SCHEMA = {
  oneOf: [
    { type: 'string', enum: [...BUDGET_SCOPES] },
    { type: 'object', additionalProperties: { type: 'string' }, minProperties: 1 },
  ],
};
const SPLIT_BY = {
  optional: true,
  nullable: true,
  description: 'Gives each user, department, project or token in the scope its own limit. Default: all share one.',
  example: 'user',
};
const OPTIONAL = { optional: true, nullable: true };
const REQUESTS = { description: 'Requests in any 60 seconds; null for no limit.', example: 60 };
const TOKENS = {
  description: 'Tokens that requests state in any 60 seconds: input plus maximum output. Null for no limit.',
  example: 100000,
};
const CONCURRENT = {
  description: 'Open requests: those whose usage is not reported yet. Null for no limit.',
  example: 5,
};
const RANGE = { min: 1, max: LIMIT_MAX };
const NUMBER = { type: 'integer', nullable: true, minimum: 1, maximum: LIMIT_MAX } as const;

const READ_ONLY = ['id', 'org_id', 'created_at', 'updated_at'];

/** Body of `POST /v1/limits`. */
@IgnoresReadOnly(...READ_ONLY)
@ApiSchema({ name: 'GovernanceCreateLimitDto' })
export class CreateLimitDto {
  @CheckedField(NAME, TEXT, nameFault)
  name!: string;

  @CheckedField(SCOPE, SCOPE_SCHEMA, scopeFault)
  scope!: WireScope;

  @CheckedField({ ...OPTIONAL, description: 'Required with the scope `department`.', example: null }, TEXT, nameFault)
  department?: string | null;

  @UuidField({ ...OPTIONAL, description: 'Required with the scope `user`.', example: null })
  user_id?: string | null;

  @CheckedField({ ...OPTIONAL, description: 'Required with the scope `model`.', example: null }, TEXT, nameFault)
  model?: string | null;

  @ChoiceField(SCOPE_SPLITS, SPLIT_BY)
  split_by?: ScopeSplit | null;

  @IntegerField({ ...REQUESTS, ...OPTIONAL, ...RANGE })
  requests_per_minute?: number | null;

  @IntegerField({ ...TOKENS, ...OPTIONAL, ...RANGE })
  tokens_per_minute?: number | null;

  @IntegerField({ ...CONCURRENT, ...OPTIONAL, ...RANGE })
  concurrent_requests?: number | null;
}

/** Body of `PATCH /v1/limits/{id}`: only the supplied fields change. */
@IgnoresReadOnly(...READ_ONLY)
@ApiSchema({ name: 'GovernanceUpdateLimitDto' })
export class UpdateLimitDto {
  @CheckedField({ ...NAME, optional: true }, TEXT, nameFault)
  name?: string;

  @IntegerField({ ...REQUESTS, ...OPTIONAL, ...RANGE })
  requests_per_minute?: number | null;

  @IntegerField({ ...TOKENS, ...OPTIONAL, ...RANGE })
  tokens_per_minute?: number | null;

  @IntegerField({ ...CONCURRENT, ...OPTIONAL, ...RANGE })
  concurrent_requests?: number | null;

  @CheckedField({ optional: true, description: FIXED, example: SCOPE.example }, SCOPE_SCHEMA, scopeFault)
  scope?: WireScope;

  @ChoiceField(SCOPE_SPLITS, { ...SPLIT_BY, description: FIXED })
  split_by?: ScopeSplit | null;

  @CheckedField({ ...OPTIONAL, description: FIXED, example: null }, TEXT, nameFault)
  department?: string | null;

  @UuidField({ ...OPTIONAL, description: FIXED, example: null })
  user_id?: string | null;

  @CheckedField({ ...OPTIONAL, description: FIXED, example: null }, TEXT, nameFault)
  model?: string | null;
}

/** Filter for the parts of a limit. */
export class LimitPartQueryDto extends PageQueryDto {
  @CheckedField(
    { optional: true, description: 'Only this part.', example: '0199c2a8-6b1e-7c11-8d2f-2b90ce5512a4' },
    { type: String, maxLength: BUDGET_TEXT_MAX },
    value => (typeof value === 'string' && value.length <= BUDGET_TEXT_MAX ? undefined : 'must be a short text'),
  )
  part?: string;
}

/** A limit. */
@ApiSchema({ name: 'GovernanceLimitResponseDto' })
export class LimitResponseDto extends dtoOf({
  id: f.uuid('0199c2a8-8a10-7e55-b6f7-3d20c94e7a18'),
  org_id: f.uuid('0199c2a8-5f10-7c3e-9a41-3f5d8e2b7c60'),
  name: f.text(NAME.example, undefined, { maxLength: BUDGET_TEXT_MAX }),
  scope: f.of<BudgetScope | ScopeMatch>({
    ...SCOPE_SCHEMA,
    description: 'One word, or conditions that must all hold.',
    example: SCOPE.example,
  }),
  department: f.text(null, 'Null with any other scope.').nullable(),
  user_id: f.uuid(null, 'Null with any other scope.').nullable(),
  model: f.text(null, 'Null with any other scope.').nullable(),
  split_by: f.choice(SCOPE_SPLITS, 'user').nullable(),
  requests_per_minute: f.of<number>({ ...NUMBER, ...REQUESTS }).nullable(),
  tokens_per_minute: f.of<number>({ ...NUMBER, ...TOKENS }).nullable(),
  concurrent_requests: f.of<number>({ ...NUMBER, ...CONCURRENT }).nullable(),
  created_at: f.instant('2026-11-02T08:00:00.000Z'),
  updated_at: f.instant('2026-11-02T08:00:00.000Z'),
}) {}

/** Usage of one part of a limit. */
@ApiSchema({ name: 'GovernanceLimitPartDto' })
export class LimitPartDto extends dtoOf({
  limit_id: f.uuid('0199c2a8-8a10-7e55-b6f7-3d20c94e7a18'),
  part: f.text(
    '0199c2a8-6b1e-7c11-8d2f-2b90ce5512a4',
    'Id or name of the part. Empty if the limit is not split, and for requests without a value.',
  ),
  requests: f.integer(12, 'Requests of the last minute, including those that replicas have claimed in advance.'),
  tokens: f.integer(18000, 'Tokens of the last minute, including those that replicas have claimed in advance.'),
  concurrent: f.integer(2, 'Open requests, including slots that replicas have leased.'),
}) {}

/** A limit as the API shows it. */
export const presentLimit = presenterOf(LimitResponseDto, ({ match, scope }: Limit) => ({ scope: match ?? scope }));

/** Maps a request body to a draft. Missing fields stay missing. */
export function limitDraftOf(body: CreateLimitDto): LimitDraft {
  return { name: body.name, ...scopeOf(body.scope), ...aboutOf(body), ...numbersOf(body) };
}

/** Returns the fields that the body contains. */
export function limitPatchOf(body: UpdateLimitDto): Partial<LimitDraft> {
  const { name, scope } = body;
  return {
    ...(name === undefined ? {} : { name }),
    ...(scope === undefined ? {} : scopeOf(scope)),
    ...aboutOf(body),
    ...numbersOf(body),
  };
}

function aboutOf({ department, user_id, model, split_by }: UpdateLimitDto): Partial<LimitDraft> {
  return {
    ...(department === undefined ? {} : { department }),
    ...(user_id === undefined ? {} : { userId: user_id }),
    ...(model === undefined ? {} : { model }),
    ...(split_by === undefined ? {} : { splitBy: split_by }),
  };
}

function numbersOf(body: UpdateLimitDto): Partial<LimitDraft> {
  const { requests_per_minute: requests, tokens_per_minute: tokens, concurrent_requests: concurrent } = body;
  return {
    ...(requests === undefined ? {} : { requestsPerMinute: requests }),
    ...(tokens === undefined ? {} : { tokensPerMinute: tokens }),
    ...(concurrent === undefined ? {} : { concurrentRequests: concurrent }),
  };
}
