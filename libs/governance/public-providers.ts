import type { Type } from '@nestjs/common';
import { GovernanceOperations } from './governance-operations.js';
import { UsageImporter } from './usage-import/usage-importer.js';
import { GovernanceHealth } from './health/governance-health.js';

/** The services that a host may inject. */
export const PUBLIC_PROVIDERS: readonly Type<unknown>[] = [GovernanceHealth, GovernanceOperations, UsageImporter];
