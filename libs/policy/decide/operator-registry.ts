import { BUILT_IN_OPERATORS } from './built-in-operators.js';
import type { ConditionOperator } from './condition-operator.port.js';

const NAME = /^[a-z][a-z0-9_]{0,63}$/;

/** Two operators have the same name, or a name is not allowed in conditions. Thrown at boot, never during a request. */
export class OperatorRegistrationError extends Error {
  override readonly name = 'OperatorRegistrationError';
}

/** The operators that conditions may use: the built-in operators and those of the host. Immutable. */
export class OperatorRegistry {
  private readonly byName = new Map<string, ConditionOperator>();

  /** @throws OperatorRegistrationError naming both operators and the remedy */
  constructor(hostOperators: readonly ConditionOperator[] = []) {
    for (const operator of BUILT_IN_OPERATORS) this.byName.set(operator.name, operator);
    for (const operator of hostOperators) this.register(operator);
  }

  /** The operator with this name, or undefined. Safe for any text, including `__proto__`. */
  get(name: string): ConditionOperator | undefined {
    return this.byName.get(name);
  }

  /** All names. Built-in operators come first. */
  get names(): string[] {
    return [...this.byName.keys()];
  }

  private register(operator: ConditionOperator): void {
    const claimant = operator.constructor.name;
    if (!NAME.test(operator.name)) {
      throw new OperatorRegistrationError(
        `conditionOperators: ${claimant} has the name ${JSON.stringify(operator.name)}; use 1 to 64 lower-case letters, digits and _, beginning with a letter`,
      );
    }
    const holder = this.byName.get(operator.name);
    if (holder) {
      const first = BUILT_IN_OPERATORS.includes(holder) ? 'the built-in operator' : holder.constructor.name;
      throw new OperatorRegistrationError(
        `conditionOperators: "${operator.name}" is claimed by ${first} and ${claimant}; rename one of them`,
      );
    }
    this.byName.set(operator.name, operator);
  }
}

/** Only the built-in operators. */
export const BUILT_IN_REGISTRY = new OperatorRegistry();
