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

/** No library of users is composed: nobody is known. */
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

/** No library of devices is composed: no device is known. */
class NoDevices extends DeviceDirectory {
  override statusOf(): DeviceStatus {
    return 'unknown';
  }
}

/** No library of budgets is composed: no limit guards a request. */
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

/** No library of usage is composed: simulations know no cost. */
class NoUsageFigures extends UsageFigures {
  override costsOf(): Promise<Map<string, bigint>> {
    return Promise.resolve(new Map());
  }

  override ofDay(): Promise<never[]> {
    return Promise.resolve([]);
  }
}

/** No library of policies is composed: usage counts for what it names itself. */
class NoDecisionDimensions extends DecisionDimensions {
  override of(): Promise<Map<string, DecidedFor>> {
    return Promise.resolve(new Map());
  }
}

/** What stands for a port that neither a composed library nor the host implements. */
export const ABSENT_PORTS = [
  { provide: UserDirectory, useClass: NoUsers },
  { provide: DeviceDirectory, useClass: NoDevices },
  { provide: SpendGuard, useClass: NoSpendGuard },
  { provide: UsageFigures, useClass: NoUsageFigures },
  { provide: DecisionDimensions, useClass: NoDecisionDimensions },
] as const satisfies Provider[];
