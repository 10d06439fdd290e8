import { Entity, Property } from '@mikro-orm/decorators/legacy';
import { OrgRecord } from '#database';
import type { ProviderKind } from './provider-kind.js';

/** The settings of a provider that administrators enter. */
export interface ProviderFields {
  readonly kind: ProviderKind;
  readonly baseUrl: string;
  readonly active: boolean;
}

/**
 * A provider that the gateway calls. The vault contains its key; this entity contains only the time when the key was
 * entered.
 */
@Entity({ tableName: 'gateway_providers', schema: 'governance' })
export class GatewayProvider extends OrgRecord {
  @Property({ type: 'text' })
  name!: string;

  @Property({ type: 'text' })
  kind!: ProviderKind;

  /** The provider's root URL, without `/v1` and without a trailing slash. */
  @Property({ type: 'text' })
  baseUrl!: string;

  @Property({ type: 'boolean' })
  active!: boolean;

  /** Time when the key was entered; null if the provider has no key. */
  @Property({ type: 'timestamptz', nullable: true })
  keySetAt!: Date | null;

  @Property({ type: 'timestamptz' })
  createdAt!: Date;

  @Property({ type: 'timestamptz' })
  updatedAt!: Date;

  static create(orgId: string, id: string, name: string, fields: ProviderFields, now: Date): GatewayProvider {
    const provider = new GatewayProvider();
    const { kind, baseUrl, active } = fields;
    Object.assign(provider, { orgId, id, name, kind, baseUrl, active });
    Object.assign(provider, { keySetAt: null, createdAt: now, updatedAt: now });
    return provider;
  }

  /** The only origin to which the key may be sent. */
  get origin(): string {
    return new URL(this.baseUrl).origin;
  }

  /** Replaces the settings. Returns whether anything changed. */
  replace({ kind, baseUrl, active }: ProviderFields, now: Date): boolean {
    if (kind === this.kind && baseUrl === this.baseUrl && active === this.active) return false;
    Object.assign(this, { kind, baseUrl, active });
    this.touch(now);
    return true;
  }

  /** Records when a key was entered. Null records that the key was removed. */
  noteKey(setAt: Date | null, now: Date): void {
    this.keySetAt = setAt;
    this.touch(now);
  }

  private touch(now: Date): void {
    this.updatedAt = new Date(Math.max(now.getTime(), this.createdAt.getTime()));
  }
}
