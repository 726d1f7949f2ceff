import { useEffect, useState } from 'react';
import { supportTexts } from '../texts/support';

const HOUR_S = 3600;
const DAY_S = 24 * HOUR_S;

function leftOf(seconds: number): string {
  const days = Math.floor(seconds / DAY_S);
  const hours = Math.floor((seconds % DAY_S) / HOUR_S);
  const minutes = Math.floor((seconds % HOUR_S) / 60);
  if (days > 0) return `${days} d ${hours} h`;
  return hours > 0 ? `${hours} h ${minutes} min` : `${minutes} min ${Math.floor(seconds % 60)} s`;
}

/** Shows the remaining time of a lock, updated every second. */
export function Countdown({ until }: { until: string }) {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, []);
  const seconds = (Date.parse(until) - now) / 1000;
  return (
    <span role="timer">{seconds > 0 ? supportTexts.user.lockedFor(leftOf(seconds)) : supportTexts.user.notLocked}</span>
  );
}
