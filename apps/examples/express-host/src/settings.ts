import { Injectable } from '@nestjs/common';

/** The shop's settings, which environment variables set. */
@Injectable()
export class Settings {
  readonly databaseUrl = required('DATABASE_URL', 'postgres://user:password@localhost:5432/shop');
  readonly governanceKeys = required('GOVERNANCE_KEYS', 'k1:<output of: openssl rand -base64 32>');
}

function required(name: string, example: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set; it looks like ${example}`);
  return value;
}
