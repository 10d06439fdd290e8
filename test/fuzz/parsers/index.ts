import type { FuzzedParser } from '../parser.js';
import { ACCESS_PARSERS } from './access.js';
import { ITSM_PARSERS } from './itsm.js';
import { POLICY_PARSERS } from './policy.js';
import { SCIM_PARSERS } from './scim.js';
import { USAGE_PARSERS } from './usage.js';
import { WIRE_PARSERS } from './wire.js';
import { userParsers } from './users.js';

/** Every parser of external input. */
export async function allParsers(): Promise<FuzzedParser[]> {
  const users = await userParsers();
  return [
    ...ACCESS_PARSERS,
    ...USAGE_PARSERS,
    ...users,
    ...SCIM_PARSERS,
    ...POLICY_PARSERS,
    ...ITSM_PARSERS,
    ...WIRE_PARSERS,
  ];
}
