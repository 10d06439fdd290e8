import { describe, expect, it } from '@jest/globals';
import { certificateTerms } from './devices.options.js';

describe('the options of devices', () => {
  it('have defaults, and an address without a trailing slash', () => {
    expect(certificateTerms({})).toEqual({ certificateDays: 397 });
    const publicUrl = 'https://governance.example.com/api/';
    expect(certificateTerms({ certificateDays: 1, publicUrl })).toEqual({
      certificateDays: 1,
      publicUrl: 'https://governance.example.com/api',
    });
  });
});
