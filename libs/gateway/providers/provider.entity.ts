import { Entity, Property } from '@mikro-orm/decorators/legacy';
import { OrgRecord } from '#database';
import type { ProviderKind } from './provider-kind.js';

/** The settings of a provider that people enter. */
export interface ProviderFields {
  readonly kind: ProviderKind;
  readonly baseUrl: string;
  readonly active: boolean;
}

/** A provider that the gateway calls. The vault holds its key; the entity holds only the time of its entry. */
@Entity({ tableName: 'gateway_providers', schema: 'governance' })
export class GatewayProvider extends OrgRecord {
  @Property({ type: 'text' })
  name!: string;

  @Property({ type: 'text' })
  kind!: ProviderKind;

  /** The provider's root, without `/v1` and without a slash at the end. */
  @Property({ type: 'text' })
  baseUrl!: string;

  @Property({ type: 'boolean' })
  active!: boolean;

  /** Time when the key was entered; null if there is none. */
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

  /** The only origin that the key may be sent to. */
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

  /** Records when a key was entered, or with null that it was removed. */
  noteKey(setAt: Date | null, now: Date): void {
    this.keySetAt = setAt;
    this.touch(now);
  }

  private touch(now: Date): void {
    this.updatedAt = new Date(Math.max(now.getTime(), this.createdAt.getTime()));
  }
}
