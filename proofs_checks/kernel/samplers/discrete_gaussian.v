(* The reference sampler discrete_gaussian of dpmatrix.randomness.discrete, over fair coins: a discrete Laplace variate
   that is kept with probability exp(-(|k| - variance/t)^2 / (2 variance)) has mass proportional to
   exp(-k^2 / (2 variance)), for every whole scale t. *)
From HB Require Import structures.
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import boolp classical_sets functions cardinality fsbigop mathcomp_extra.
From mathcomp Require Import signed reals ereal topology normedtype sequences esum exp.
Import GRing.Theory Num.Theory Order.TTheory.
From mathcomp.algebra_tactics Require Import ring.
From DPMatrix Require Import samplers.mass_functions samplers.bernoulli samplers.discrete_noise.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.

Section discrete_gaussian.
Variables (R : realType) (a b t : nat).
Hypotheses (a0 : (0 < a)%N) (b0 : (0 < b)%N) (t0 : (0 < t)%N).
Let variance : R := a%:R / b%:R.

(* the rate (|z| - variance/t)^2 / (2 variance) as a quotient of whole numbers *)
Definition rate_numerator (z : int) : nat := (`|(`|z| * (b * t))%:Z - a%:Z|%N ^ 2)%N.
Definition rate_denominator : nat := (2 * a * b * t ^ 2)%N.
Definition gaussian_attempt : mass R [choiceType of option int] :=
  bind (discrete_laplace R t 1) (fun z =>
    bind (bernoulli_exp R (rate_numerator z %/ rate_denominator) (rate_numerator z %% rate_denominator) rate_denominator)
      (fun yes : bool => ret R (if yes then Some z else None))).
Definition discrete_gaussian : mass R int_choiceType := loop gaussian_attempt.
Definition bell (z : int) : R := expR (- ((`|z|%N)%:R ^+ 2 / (2%:R * variance))).

Lemma denominator_gt0 : (0 < rate_denominator)%N.
Proof. by rewrite /rate_denominator !muln_gt0 a0 b0 ?expn_gt0 t0. Qed.

Lemma rateE z : (rate_numerator z)%:R / rate_denominator%:R =
  ((`|z|%N)%:R - variance / t%:R) ^+ 2 / (2%:R * variance) :> R.
Proof.
have sq (m n : nat) : ((`|m%:Z - n%:Z|%N ^ 2)%N)%:R = (m%:R - n%:R) ^+ 2 :> R.
  by rewrite natrX natr_absz intr_norm real_normK ?num_real // rmorphB.
have aR : a%:R != 0 :> R by rewrite pnatr_eq0 -lt0n.
have bR : b%:R != 0 :> R by rewrite pnatr_eq0 -lt0n.
have tR : t%:R != 0 :> R by rewrite pnatr_eq0 -lt0n.
rewrite /rate_numerator sq /rate_denominator !natrM ?natrX /variance; field.
by rewrite aR bR tR.
Qed.

Lemma acceptance z :
  bernoulli_exp R (rate_numerator z %/ rate_denominator) (rate_numerator z %% rate_denominator) rate_denominator =
  coin (expR (- (((`|z|%N)%:R - variance / t%:R) ^+ 2 / (2%:R * variance)))).
Proof.
have D0 := denominator_gt0; have DR : rate_denominator%:R != 0 :> R by rewrite pnatr_eq0 -lt0n.
rewrite bernoulli_exp_law ?ltn_pmod // -rateE; congr (coin (expR (- _))).
by apply: (mulIf DR); rewrite mulrDl !mulfVK // -natrM -natrD -divn_eq.
Qed.

Lemma gaussian_attempt_is_law : is_law gaussian_attempt.
Proof.
apply: bind_law => [|z]; first exact: (proj2 (discrete_laplace_law R t0 (ltn0Sn 0))).
rewrite acceptance; apply: bind_law => [|yes]; last exact: ret_law.
by apply/coin_law/expRN01; rewrite divr_ge0 ?sqr_ge0 // mulr_ge0 ?divr_ge0 ?ler0n.
Qed.

Lemma discrete_gaussian_law : exists2 Z : R, 0 < Z & [/\ ((\esum_(z in setT) (bell z)%:E) = Z%:E)%E,
  forall z, discrete_gaussian z = (bell z / Z)%:E & is_law discrete_gaussian].
Proof.
have [lE ll] := discrete_laplace_law R t0 (ltn0Sn 0).
pose q : R := expR (- (1%:R / t%:R)); have qlt : 0 <= q < 1 := q01 R t0 (ltn0Sn 0).
have /andP[q0 q1] := qlt; pose c : R := ((1 + q) / (1 - q))^-1 * expR (- (variance / (2%:R * t%:R ^+ 2))).
have c0 : 0 < c.
  by rewrite mulr_gt0 ?expR_gt0 // invr_gt0; apply: divr_gt0; [rewrite ltr_spaddl | rewrite subr_gt0].
have some z : gaussian_attempt (Some z) = (c * bell z)%:E.
  have r0 x : 0 <= (x%:R - variance / t%:R) ^+ 2 / (2%:R * variance) :> R.
    by rewrite divr_ge0 ?sqr_ge0 // mulr_ge0 ?divr_ge0 ?ler0n.
  rewrite /gaussian_attempt (@bind_one _ _ _ _ _ z).
  - rewrite acceptance bind_coin ?expRN01 // /mass_functions.ret ?eqxx; last by case; rewrite lee_fin.
    rewrite mule1 mule0 adde0 lE -EFinM; congr EFin; rewrite -/q.
    rewrite /c /bell [q ^+ _ / _]mulrC -!mulrA; congr (_ * _); rewrite /q expRN_nat -!expRD; congr expR.
    have aR : a%:R != 0 :> R by rewrite pnatr_eq0 -lt0n.
    have bR : b%:R != 0 :> R by rewrite pnatr_eq0 -lt0n.
    have tR : t%:R != 0 :> R by rewrite pnatr_eq0 -lt0n.
    by rewrite /variance; field; rewrite aR bR tR.
  - by move=> x; exact: law_ge0.
  - by apply: law_ge0; rewrite acceptance; apply: bind_law => [|yes]; [exact/coin_law/expRN01/r0 | exact: ret_law].
  move=> x xz; rewrite acceptance bind_coin ?expRN01 // /mass_functions.ret; last by case; rewrite lee_fin.
  by rewrite mule0 adde0; case: eqP => [[/eqP]|_]; [rewrite (negbTE xz) | rewrite mule0].
have bell0 z : 0 <= bell z by exact/ltW/expR_gt0.
have sumc : (c%:E * (\esum_(z in setT) (bell z)%:E) <= 1)%E.
  rewrite -esum_scale; [|exact: ltW|by move=> z; rewrite lee_fin].
  rewrite -[leRHS](proj2 gaussian_attempt_is_law) esum_option => [|o]; last exact: law_ge0 gaussian_attempt_is_law.
  under [X in (_ <= _ + X)%E]eq_esum => z _ do rewrite some EFinM.
  by rewrite lee_addr // (law_ge0 _ gaussian_attempt_is_law).
have one : ((1 : R)%:E <= \esum_(z in setT) (bell z)%:E)%E.
  apply: esum_ge; exists [set 0 : int]; first by split=> //; exact: finite_set1.
  by rewrite fsbig_set1 /bell /= expr0n mul0r oppr0 expR0.
case sE : (\esum_(z in setT) (bell z)%:E)%E sumc one => [Z| |] //; last first.
  by rewrite gt0_muley // leye_eq.
rewrite lee_fin => _ Z1; have Z0 : 0 < Z by exact: (lt_le_trans ltr01 Z1).
by exists Z => //; have [] := rejection gaussian_attempt_is_law c0 Z0 some sE.
Qed.
End discrete_gaussian.
