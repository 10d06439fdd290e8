import { describe, expect, it } from '@jest/globals';
import { FOCUS_COLUMNS, FOCUS_VERSION } from './focus-columns.js';

/** The mandatory columns of FOCUS 1.2. */
const MANDATORY = [
  ...['BilledCost', 'BillingAccountId', 'BillingAccountName', 'BillingCurrency', 'BillingPeriodEnd'],
  ...['BillingPeriodStart', 'ChargeCategory', 'ChargeClass', 'ChargeDescription', 'ChargePeriodEnd'],
  ...['ChargePeriodStart', 'ContractedCost', 'EffectiveCost', 'InvoiceIssuerName', 'ListCost', 'PricingQuantity'],
  ...['PricingUnit', 'ProviderName', 'PublisherName', 'ServiceCategory', 'ServiceName'],
];

describe('the columns of FOCUS exports', () => {
  it('are all that version 1.2 requires, and our own begin with x_', () => {
    expect(FOCUS_VERSION).toBe('1.2');
    const headers = FOCUS_COLUMNS.map(({ header }) => header);
    expect(headers).toEqual(expect.arrayContaining(MANDATORY));
    expect(new Set(headers).size).toBe(headers.length);
    const optional = headers.filter(header => !header.startsWith('x_') && !MANDATORY.includes(header));
    expect(optional).toEqual(['ConsumedQuantity', 'ConsumedUnit', 'ServiceSubcategory', 'Tags']);
  });
});
