import { Injectable } from '@nestjs/common';
import { BadRequestError, isStorableText, type FieldError, type Json, type JsonObject } from '#core';
import { EgressClient, EgressRefusedError } from '#egress';
import type { ItsmAdapter } from '../adapter/itsm-adapter.port.js';
import { isUrl } from '../adapter/form.js';
import { originsOf } from './adapter-origins.js';
import { settingsSchemaOf, templateFaults } from './common-settings.js';
import { formFaults, NO_ADDRESS } from './form-check.js';
import { REPORT_SECRETS, reportSecretFault, type ReportSecrets } from './report-secret.js';

/** Validates the settings and secrets of a connector against the schemas of its adapter. */
@Injectable()
export class ConnectorForm {
  constructor(private readonly egress: EgressClient) {}

  /**
   * Validates settings. Returns the origins that they contain.
   * @throws BadRequestError naming every invalid field, or saying why an origin may not be called
   */
  async originsOf(adapter: ItsmAdapter, settings: JsonObject): Promise<readonly string[]> {
    const shape = formFaults(settingsSchemaOf(adapter), settings, 'settings');
    refuse([...textFaults(settings, 'settings'), ...shape, ...templateFaults(settings)]);
    const origins = originsOf(adapter, settings);
    if (origins === undefined) throw noOriginError(settings);
    for (const origin of origins) await this.vet(origin);
    return origins;
  }

  /** Validates secrets. @throws BadRequestError naming every invalid field, but never its value */
  checkSecrets(adapter: ItsmAdapter, secrets: JsonObject): void {
    refuse(secretFaults(adapter, secrets));
  }

  /** Validates the secrets of reports. Null stands for a secret to delete. @throws BadRequestError */
  readReportSecrets(adapter: ItsmAdapter | undefined, given: ReportSecrets<Json>): ReportSecrets {
    refuse(REPORT_SECRETS.flatMap(name => reportSecretFault(name, given[name], adapter) ?? []));
    // reportSecretFault() refuses everything except strings and null.
    return given as ReportSecrets;
  }

  /**
   * Validates secrets if the connector will send requests to other origins. All required secrets must then be entered
   * again. The error for a missing secret names the origins.
   */
  checkNewSecrets(adapter: ItsmAdapter, secrets: JsonObject, origins: readonly string[]): void {
    const again = `must be entered again, because the connector now calls ${origins.join(', ')}`;
    const faults = secretFaults(adapter, secrets);
    refuse(faults.map(({ field, message }) => ({ field, message: message === 'is required' ? again : message })));
  }

  private async vet(origin: string): Promise<void> {
    try {
      await this.egress.vet('tickets', origin);
    } catch (error) {
      if (error instanceof EgressRefusedError) throw BadRequestError.field('settings', error.message);
      throw error;
    }
  }
}

function secretFaults(adapter: ItsmAdapter, secrets: JsonObject): FieldError[] {
  return [...textFaults(secrets, 'secrets'), ...formFaults(adapter.secretsSchema, secrets, 'secrets')];
}

function textFaults(values: JsonObject, path: string): FieldError[] {
  return Object.entries(values).flatMap(([name, value]) =>
    !isStorable(value)
      ? [{ field: `${path}.${name}`, message: 'must not contain NUL or half of a surrogate pair' }]
      : [],
  );
}

function isStorable(value: Json): boolean {
  if (typeof value === 'string') return isStorableText(value);
  if (typeof value !== 'object' || value === null) return true;
  return Object.entries(value).every(([name, each]) => isStorableText(name) && isStorable(each));
}

/**
 * The error for settings that are valid, but in which the adapter finds no origin. It names each setting that is an
 * invalid URL.
 */
function noOriginError(settings: JsonObject): BadRequestError {
  const addresses = Object.entries(settings).filter(
    ([, value]) => typeof value === 'string' && /^[a-z]+:/i.test(value) && !isUrl(value),
  );
  const fields = addresses.map(([name]) => ({ field: `settings.${name}`, message: NO_ADDRESS }));
  const nowhere = { field: 'settings', message: 'contain no valid https:// URL; check the URLs' };
  const faults = fields.length > 0 ? fields : [nowhere];
  return BadRequestError.fields(faults);
}

function refuse(faults: readonly FieldError[]): void {
  if (faults.length === 0) return;
  throw BadRequestError.fields(faults);
}
