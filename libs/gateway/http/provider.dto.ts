import { ApiSchema } from '@nestjs/swagger';
import {
  CheckedField,
  ChoiceField,
  dtoOf,
  f,
  FlagField,
  IgnoresReadOnly,
  ObjectField,
  presenterOf,
  TextField,
} from '#access';
import { PROVIDER_KINDS, type ProviderKind } from '../providers/provider-kind.js';
import type { GatewayProvider } from '../providers/provider.entity.js';

const KIND = {
  description:
    'API of the provider: `openai` and `anthropic` are those providers, `openai_compatible` is every other provider ' +
    'with OpenAI’s API. Decisions and usage name the first two by their kind, the others by their name.',
  example: 'openai',
} as const;
const BASE_URL = {
  max: 2_048,
  description:
    'Root of the provider, without `/v1`. Use `https:`; `http:` is only for addresses that the operator allows for the ' +
    'gateway (`GOVERNANCE_EGRESS_ALLOW`, entry `gateway=10.0.0.0/8:8080`).',
  example: 'https://api.openai.com',
} as const;
const ACTIVE = {
  description: 'Whether the provider can be called. Calls to an inactive provider get 404.',
  example: true,
};

const KEY_MAX = 4_096;
// Visible ASCII, which every HTTP client sends unchanged in a header.
const KEY = /^[\x21-\x7e]+$/;

function keyFault(value: unknown): string | undefined {
  if (value === null) return undefined;
  if (typeof value !== 'string') return 'must be a text, or null for none';
  if (value.length > KEY_MAX) return `must be at most ${KEY_MAX} characters`;
  return KEY.test(value) ? undefined : 'must be visible ASCII characters without spaces';
}

/** Secrets of a provider. */
@ApiSchema({ name: 'GovernanceProviderSecretsDto' })
export class ProviderSecretsDto {
  @CheckedField(
    {
      optional: true,
      nullable: true,
      description: 'The provider’s key; null removes it. Without this field, the key stays.',
      example: '<API_KEY>',
    },
    { type: String, maxLength: KEY_MAX },
    keyFault,
  )
  api_key?: string | null;
}

/** Body of `PUT /v1/gateway/providers/{name}`. */
@IgnoresReadOnly('id', 'org_id', 'name', 'has_api_key', 'api_key_set_at', 'created_at', 'updated_at')
@ApiSchema({ name: 'GovernancePutProviderDto' })
export class PutProviderDto {
  @ChoiceField(PROVIDER_KINDS, KIND)
  kind!: ProviderKind;

  @TextField(BASE_URL)
  base_url!: string;

  @ObjectField(() => ProviderSecretsDto, {
    optional: true,
    description:
      'Encrypted, sent to the origin of `base_url` only, and never shown. If you change the origin, enter the key again.',
  })
  secrets?: ProviderSecretsDto;

  @FlagField({ ...ACTIVE, optional: true, default: true })
  active?: boolean;
}

/** A provider in responses, without its key. */
@ApiSchema({ name: 'GovernanceProviderResponseDto' })
export class ProviderResponseDto extends dtoOf({
  id: f.uuid('0199c2a8-e105-7b3c-9d24-6a8f0c5e7b19'),
  org_id: f.uuid('0199c2a8-5d07-7a44-93be-4f8e21d06c72'),
  name: f.text('openai', 'Name in the path of calls: `/gateway/{name}/v1/…`.'),
  kind: f.choice(PROVIDER_KINDS, KIND.example, KIND.description),
  base_url: f.text(BASE_URL.example, BASE_URL.description),
  active: f.flag(ACTIVE.example, ACTIVE.description),
  has_api_key: f.flag(true),
  api_key_set_at: f.instant('2026-11-20T13:00:00.000Z').nullable(),
  created_at: f.instant('2026-11-20T13:00:00.000Z'),
  updated_at: f.instant('2026-11-20T13:00:00.000Z'),
}) {}

/** Converts a provider for a response, without its key. */
export const presentProvider = presenterOf(ProviderResponseDto, ({ keySetAt }: GatewayProvider) => ({
  has_api_key: keySetAt !== null,
  api_key_set_at: keySetAt?.toISOString() ?? null,
}));
