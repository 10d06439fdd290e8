import type { Type } from '@nestjs/common';
import { GovernanceHealth } from './health/governance-health.js';

/** The services that a host may inject. */
export const PUBLIC_PROVIDERS: readonly Type<unknown>[] = [GovernanceHealth];
