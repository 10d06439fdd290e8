/** The smallest allowed factor of a modulus (NIST SP 800-89, section 5.3.3). */
const SMALLEST_FACTOR = 752n;
/** Consecutive squarings before a yield, so that a modulus of 8,192 bits does not block the event loop. */
const STEPS_PER_TURN = 128;

const SMALL_PRIMES = primesBelow(SMALLEST_FACTOR);

/**
 * Returns the fault of an RSA modulus, or undefined. NIST SP 800-89 (section 5.3.3) requires the receiver of a public
 * key to check that the modulus is odd, has no factor below 752, and is neither a prime nor a power of a prime. Faulty
 * generators produce such keys, and everyone can break them. The check cannot verify that the two factors are large.
 */
export async function modulusDefect(modulus: bigint): Promise<string | undefined> {
  const factor = SMALL_PRIMES.find(prime => modulus % prime === 0n);
  if (factor !== undefined) return `has the factor ${factor}`;
  return (await isPrimePower(modulus)) ? 'is a prime or a power of one' : undefined;
}

/**
 * For a power n of a prime p, p divides 2^(n-1) - 1 (Fermat: p - 1 divides n - 1). For a product of two random primes,
 * this has a negligible probability. The primality test of `node:crypto` would be exact, but takes half a minute for
 * 8,192 bits, and strangers can trigger it.
 */
async function isPrimePower(n: bigint): Promise<boolean> {
  const exponent = (n - 1n).toString(2);
  let power = 1n;
  for (let at = 0; at < exponent.length; at++) {
    if (at % STEPS_PER_TURN === 0) await new Promise(setImmediate);
    power = (power * power) % n;
    if (exponent[at] === '1') power = (power * 2n) % n;
  }
  return greatestCommonDivisor(power - 1n, n) > 1n;
}

function greatestCommonDivisor(a: bigint, b: bigint): bigint {
  while (b !== 0n) [a, b] = [b, a % b];
  return a;
}

function primesBelow(end: bigint): bigint[] {
  const primes: bigint[] = [];
  for (let n = 2n; n < end; n++) if (primes.every(prime => n % prime !== 0n)) primes.push(n);
  return primes;
}
