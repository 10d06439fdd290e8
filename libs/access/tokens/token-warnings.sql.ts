/** Days before expiry at which a warning is sent, the first one first. */
const WARNING_DAYS = [30, 7, 1] as const;

/**
 * The warning that is due for the token `t` at a time, in days: the smallest threshold that has been reached. A token
 * with a shorter lifetime than a threshold skips that warning.
 */
export const DUE_DAYS = (moment: string): string =>
  `(select min(d.days) from unnest('{${WARNING_DAYS.join()}}'::integer[]) as d (days)
    where t.expires_at - d.days * interval '1 day' <= ${moment}
      and t.created_at < t.expires_at - d.days * interval '1 day')`;

/** Whether a warning of the token `t` is due and was not sent. */
export const IS_DUE = (moment: string): string =>
  `t.revoked_at is null and t.expires_at > ${moment}
   and t.expires_at <= ${moment} + ${WARNING_DAYS[0]} * interval '1 day'
   and ${DUE_DAYS(moment)} < coalesce(t.warned_days, ${WARNING_DAYS[0] + 1})`;
