import { BigIntType } from '@mikro-orm/core';
import { Entity, Property } from '@mikro-orm/decorators/legacy';
import { OrgRecord } from '#database';

/**
 * The certificate authority of an organization's devices. Before an authority expires, an authority of the next
 * generation replaces it.
 */
@Entity({ tableName: 'device_authorities', schema: 'governance' })
export class DeviceAuthority extends OrgRecord {
  /** Number of the generation: 1 for the first authority of the organization. */
  @Property({ type: 'integer' })
  generation!: number;

  /** The certificate of the authority, in DER. */
  @Property({ type: 'blob' })
  certificate!: Buffer;

  @Property({ type: 'timestamptz' })
  notBefore!: Date;

  @Property({ type: 'timestamptz' })
  notAfter!: Date;

  @Property({ type: 'timestamptz' })
  createdAt!: Date;

  /** The latest signed revocation list, in DER. */
  @Property({ type: 'blob', nullable: true, lazy: true })
  list!: Buffer | null;

  /** Number of the latest signed list; 0 before the first list. */
  @Property({ type: new BigIntType('number') })
  listNumber!: number;

  @Property({ type: 'timestamptz', nullable: true })
  listMadeAt!: Date | null;

  /** Whether the latest list contains all revocations. */
  @Property({ type: 'boolean' })
  listIsCurrent!: boolean;
}
