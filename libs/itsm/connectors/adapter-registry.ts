import type { FormSchema, ItsmAdapter } from '../adapter/itsm-adapter.port.js';
import { COMMON_SETTINGS } from './common-settings.js';
import { REPORT_SECRETS } from './report-secret.js';

/** The platforms that connectors can be set up for, by their kind. */
export class AdapterRegistry {
  private readonly byKind = new Map<string, ItsmAdapter>();

  /** @throws Error where two adapters claim one kind */
  constructor(adapters: readonly ItsmAdapter[]) {
    for (const adapter of adapters) {
      const other = this.byKind.get(adapter.kind);
      if (other) {
        const [first, second] = [other.constructor.name, adapter.constructor.name];
        throw new Error(
          `itsmAdapters: "${adapter.kind}" is claimed by ${first} and ${second}; change the kind of one of them`,
        );
      }
      const secret = REPORT_SECRETS.find(name => has(adapter.secretsSchema, name));
      if (secret !== undefined) {
        throw new Error(
          `itsmAdapters: the secretsSchema of ${adapter.constructor.name} has a property ${secret}, which every ` +
            'connector already has; rename it',
        );
      }
      const taken = Object.keys(COMMON_SETTINGS).find(name => has(adapter.settingsSchema, name));
      if (taken !== undefined) {
        throw new Error(
          `itsmAdapters: the settingsSchema of ${adapter.constructor.name} has a property ${taken}, which every ` +
            'connector already has; rename it',
        );
      }
      this.byKind.set(adapter.kind, adapter);
    }
  }

  /** In the order in which they were given. */
  get all(): readonly ItsmAdapter[] {
    return [...this.byKind.values()];
  }

  /** Undefined where this process has no adapter of that kind. */
  named(kind: string): ItsmAdapter | undefined {
    return this.byKind.get(kind);
  }
}

function has({ properties }: FormSchema, name: string): boolean {
  return typeof properties === 'object' && properties !== null && Object.hasOwn(properties, name);
}
