import type { Provider } from '@nestjs/common';
import {
  DecisionDimensions,
  type DecidedFor,
  DeviceDirectory,
  SpendGuard,
  UsageFigures,
  UserDirectory,
  type DeviceStatus,
} from '#core';

/** Used without a library for users: no user is known. */
class NoUsers extends UserDirectory {
  override find(_orgId: string, references: readonly unknown[]): Promise<undefined[]> {
    return Promise.resolve(references.map(() => undefined));
  }

  override emails(): Promise<Map<string, string>> {
    return Promise.resolve(new Map());
  }

  override recordActivity(): Promise<void> {
    return Promise.resolve();
  }
}

/** Used without a library for devices: no device is known. */
class NoDevices extends DeviceDirectory {
  override statusOf(): DeviceStatus {
    return 'unknown';
  }
}

/** Used without a library for budgets: no limit applies. */
class NoSpendGuard extends SpendGuard {
  override reserve(): undefined {
    return undefined;
  }

  override reserveWithin(): Promise<undefined> {
    return Promise.resolve(undefined);
  }

  override release(): Promise<bigint> {
    return Promise.resolve(0n);
  }
}

/** Used without a library for usage: simulations know no costs. */
class NoUsageFigures extends UsageFigures {
  override costsOf(): Promise<Map<string, bigint>> {
    return Promise.resolve(new Map());
  }

  override ofDay(): Promise<never[]> {
    return Promise.resolve([]);
  }
}

/** Used without a library for policies: usage counts with its own dimensions only. */
class NoDecisionDimensions extends DecisionDimensions {
  override of(): Promise<Map<string, DecidedFor>> {
    return Promise.resolve(new Map());
  }
}

/** Default implementations of ports that neither a composed library nor the host implements. */
export const ABSENT_PORTS = [
  { provide: UserDirectory, useClass: NoUsers },
  { provide: DeviceDirectory, useClass: NoDevices },
  { provide: SpendGuard, useClass: NoSpendGuard },
  { provide: UsageFigures, useClass: NoUsageFigures },
  { provide: DecisionDimensions, useClass: NoDecisionDimensions },
] as const satisfies Provider[];
