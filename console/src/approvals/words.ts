// What the values of profiles are shown with.
import { useSpecialtyNames } from '../api/specialties.js';
import { useLanguage, useTexts } from '../texts/language.js';
import { dayIn } from '../texts/moments.js';
import type { UserProfile, Words } from './timeline.js';

/** Returns the words for profiles, with the names of their specialties. */
export const useWords = (profiles: readonly UserProfile[]): Words => {
  const texts = useTexts();
  const language = useLanguage();
  const specialties = profiles.flatMap((profile) => profile.specialties);
  const specialty = useSpecialtyNames(specialties.map(({ specialtyId }) => specialtyId));
  return { texts, day: (date) => dayIn(language, date), specialty };
};
