import { expect, it, jest } from '@jest/globals';

const helper = { uses: 0 };

/** Checks that no change of another test file to the process is visible, and then makes such changes itself. */
export function findsTheProcessTidy(): void {
  it('finds the process tidy', () => {
    expect(helper.uses++).toBe(0);
    expect(process.env['UNTIDY']).toBeUndefined();
    expect(process.listenerCount('SIGUSR2')).toBe(0);
    expect(Math.random()).not.toBe(7);
    expect(process.cwd()).not.toBe('/');
    process.env['UNTIDY'] = 'left behind';
    process.on('SIGUSR2', () => undefined);
    process.chdir('/');
    jest.spyOn(Math, 'random').mockReturnValue(7);
    process.stdout.write('written by a file that passes\n');
  });
}
