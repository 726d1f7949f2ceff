import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { supportTexts } from '../texts/support';

const HOUR_S = 3600;
const DAY_S = 24 * HOUR_S;
/**
 * How long after the end of a lock the page loads the user again. It does not do so immediately, because the server's clock may be a little behind.
 */
const MARGIN_S = 2;
/**
 * The wait until the user is loaded a second time. The server may still report the lock at the first load, because this computer's clock may be ahead
 * of the server's by more than `MARGIN_S`.
 */
const AGAIN_MS = 60_000;

function leftOf(seconds: number): string {
  const days = Math.floor(seconds / DAY_S);
  const hours = Math.floor((seconds % DAY_S) / HOUR_S);
  const minutes = Math.floor((seconds % HOUR_S) / 60);
  if (days > 0) return `${days} d ${hours} h`;
  return hours > 0 ? `${hours} h ${minutes} min` : `${minutes} min ${Math.floor(seconds % 60)} s`;
}

/** Shows the remaining time of a lock, updated every second. When the lock has ended, the page loads the user again, at most twice. */
export function Countdown({ until }: { until: string }) {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, []);
  const queries = useQueryClient();
  const seconds = (Date.parse(until) - now) / 1000;
  const isOver = seconds < -MARGIN_S;
  // If this computer's clock is far ahead of the server's, the lock seems to have ended already when the page opens. The page has just loaded the
  // user, so the first of the two loads is left out.
  const [wasOver] = useState(isOver);
  useEffect(() => {
    if (!isOver) return undefined;
    const load = () => void queries.invalidateQueries({ queryKey: ['user'] });
    if (!wasOver) load();
    const again = setTimeout(load, AGAIN_MS);
    // Cancels the second load when the server no longer reports the lock.
    return () => clearTimeout(again);
  }, [isOver, wasOver, queries]);
  return (
    <span role="timer">{seconds > 0 ? supportTexts.user.lockedFor(leftOf(seconds)) : supportTexts.user.notLocked}</span>
  );
}
