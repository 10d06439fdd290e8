/** The modulus must not have a factor below this number (NIST SP 800-89, section 5.3.3). */
const SMALLEST_FACTOR = 752n;
/**
 * Number of consecutive squarings before a yield to the event loop. Otherwise, a modulus of 8,192 bits would block it.
 */
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
 * If n is a power of a prime p, p divides 2^(n-1) - 1 (Fermat: p - 1 divides n - 1). If n is a product of two random
 * primes, the probability that one of them divides it is negligible. The primality test of `node:crypto` would be
 * exact, but takes half a minute for 8,192 bits, and unauthenticated callers can trigger it.
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
