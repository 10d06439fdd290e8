import { describe, expect, it } from '@jest/globals';
import { checkedDevicesOptions } from './devices.options.js';

describe('the options of devices', () => {
  it('have defaults, and an address without a slash at its end', () => {
    expect(checkedDevicesOptions({})).toEqual({ certificateDays: 397 });
    const publicUrl = 'https://governance.example.com/api/';
    expect(checkedDevicesOptions({ certificateDays: 1, publicUrl })).toEqual({
      certificateDays: 1,
      publicUrl: 'https://governance.example.com/api',
    });
  });

  it.each([0, 826, 1.5, Number.NaN])('never have certificates of %p days', certificateDays => {
    const refused = 'devices.certificateDays: must be a whole number from 1 to 825';
    expect(() => checkedDevicesOptions({ certificateDays })).toThrow(refused);
  });

  it.each(['governance.example.com', 'ftp://example.com', 'https://a@example.com', 'https://example.com/?a=1'])(
    'never have the address %s',
    publicUrl => {
      expect(() => checkedDevicesOptions({ publicUrl })).toThrow('devices.publicUrl: must be an http or https URL');
    },
  );
});
