import { DeviceDirectory, UserDirectory } from '#core';
import type { Injectable } from '#database';
import { Governance, GovernanceHealth, GovernanceOperations, UsageImporter } from '#governance';
import { CORE, LIBRARIES } from '../../libs/governance/composition/libraries.js';

/** The services that a host of all libraries may inject. */
export const PUBLIC_SERVICES: readonly Injectable[] = [
  Governance,
  ...[...CORE, ...LIBRARIES].flatMap(({ library }) => library.exports),
  UserDirectory,
  DeviceDirectory,
  GovernanceHealth,
  GovernanceOperations,
  UsageImporter,
];
