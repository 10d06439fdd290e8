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

/** Without a library of users, no user is known. */
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

/** Without a library of devices, no device is known. */
class NoDevices extends DeviceDirectory {
  override statusOf(): DeviceStatus {
    return 'unknown';
  }
}

/** Without a library of budgets, no limit applies. */
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

/** Without a library of usage, simulations know no cost. */
class NoUsageFigures extends UsageFigures {
  override costsOf(): Promise<Map<string, bigint>> {
    return Promise.resolve(new Map());
  }

  override ofDay(): Promise<never[]> {
    return Promise.resolve([]);
  }
}

/** Without a library of policies, usage counts for its own attributes. */
class NoDecisionDimensions extends DecisionDimensions {
  override of(): Promise<Map<string, DecidedFor>> {
    return Promise.resolve(new Map());
  }
}

/** Defaults for ports that neither an included library nor the host implements. */
export const ABSENT_PORTS = [
  { provide: UserDirectory, useClass: NoUsers },
  { provide: DeviceDirectory, useClass: NoDevices },
  { provide: SpendGuard, useClass: NoSpendGuard },
  { provide: UsageFigures, useClass: NoUsageFigures },
  { provide: DecisionDimensions, useClass: NoDecisionDimensions },
] as const satisfies Provider[];
