import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { SecretUnreadableError, type SecretPlace } from '#core';
import { SecretVault } from '#secrets';
import { SigningKeys } from './signing-keys.js';

/** A webhook whose row and secrets are read one after the other. Rotations commit between the two reads. */
class Rotating extends SecretVault {
  version = 1;
  reads = 0;
  /** Number of rotations that commit between the two reads. */
  rotations = 0;
  isReadable = true;

  constructor(private readonly id: string) {
    // The cipher is not called, because the stored values are not ciphertexts.
    super({} as never);
  }

  readonly read = async () => [{ id: this.id, secret_version: this.version }];

  override async getMany(_em: unknown, places: readonly SecretPlace[]): Promise<(string | SecretUnreadableError)[]> {
    this.reads++;
    if (this.rotations-- > 0) this.version++;
    return places.map(place => {
      if (!this.isReadable) return new SecretUnreadableError(place, 'it was altered');
      return `secret ${place.name === 'signing_secret' ? this.version : this.version - 1}`;
    });
  }
}

describe('the secrets that sign', () => {
  const id = randomUUID();
  const vault = () => new Rotating(id);
  const of = async (keys: SigningKeys, { read }: Rotating) => (await keys.of({} as never, randomUUID(), read)).get(id);

  it.each([0, 1, 2])('belong to the row, even if %d rotations commit while it is read', async rotations => {
    const rotating = vault();
    rotating.rotations = rotations;
    expect(await of(new SigningKeys(rotating), rotating)).toEqual({
      state: { id, secret_version: 1 + rotations },
      secrets: { current: `secret ${1 + rotations}`, previous: `secret ${rotations}` },
    });
  });

  it('are decrypted once per version', async () => {
    const rotating = vault();
    const keys = new SigningKeys(rotating);
    for (const [version, reads] of [
      [1, 1],
      [1, 1],
      [2, 2],
    ]) {
      rotating.version = version!;
      await of(keys, rotating);
      expect(rotating.reads).toBe(reads);
    }
  });

  it('that cannot be read are reported, and read again', async () => {
    const rotating = vault();
    const keys = new SigningKeys(rotating);
    rotating.isReadable = false;
    expect((await of(keys, rotating))?.secrets).toBeInstanceOf(SecretUnreadableError);
    rotating.isReadable = true;
    expect((await of(keys, rotating))?.secrets).toMatchObject({ current: 'secret 1' });
  });
});
