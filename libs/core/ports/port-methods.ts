import type { Clock } from '../clock.js';
import type { DeviceDirectory } from './device-directory.port.js';
import type { PricingCatalog } from './pricing-catalog.port.js';
import type { SecretCipher } from './secret-cipher.port.js';
import type { SpendGuard } from './spend-guard.port.js';
import type { UserDirectory } from './user-directory.port.js';

/**
 * The methods that an implementation of each port must have. Hosts' implementations are checked against this list,
 * because abstract classes do not exist at run time.
 */
export const PORT_METHODS = {
  clock: ['now'],
  userDirectory: ['find', 'emails', 'recordActivity'],
  deviceDirectory: ['statusOf'],
  pricingCatalog: ['quote', 'identify'],
  spendGuard: ['reserve', 'reserveWithin', 'release'],
  secretCipher: ['encrypt', 'decrypt', 'rewrap'],
} as const satisfies {
  clock: MethodsOf<Clock>;
  userDirectory: MethodsOf<UserDirectory>;
  deviceDirectory: MethodsOf<DeviceDirectory>;
  pricingCatalog: MethodsOf<PricingCatalog>;
  spendGuard: MethodsOf<SpendGuard>;
  secretCipher: MethodsOf<SecretCipher>;
};

type MethodsOf<T> = readonly (keyof T)[];
