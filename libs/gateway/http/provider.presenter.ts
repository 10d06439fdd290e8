import type { GatewayProvider } from '../providers/provider.entity.js';
import type { ProviderResponseDto } from './provider.dto.js';

/** A provider as the API shows it, without its key. */
export function presentProvider(provider: GatewayProvider): ProviderResponseDto {
  const { keySetAt } = provider;
  return {
    id: provider.id,
    org_id: provider.orgId,
    name: provider.name,
    kind: provider.kind,
    base_url: provider.baseUrl,
    active: provider.active,
    has_api_key: keySetAt !== null,
    api_key_set_at: keySetAt?.toISOString() ?? null,
    created_at: provider.createdAt.toISOString(),
    updated_at: provider.updatedAt.toISOString(),
  };
}
