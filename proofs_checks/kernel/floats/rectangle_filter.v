(* The float filter of the sampler under a hat of rectangles: what it computes in IEEE doubles, rounded to nearest,
   differs from the ratio of weight and height by less than 2^-31. Rounding errors of Horner's rule are bounded by
   Gappa, the error of the polynomial by interval arithmetic; both leave proofs that the kernel checks. That numpy's additions
   and products are those of IEEE 754, and that tables hold what is assumed of them, is outside. *)
From Coq Require Import Reals Lra Lia Psatz.
From Flocq Require Import Core Relative.
From Gappa Require Import Gappa_tactic.
From Interval Require Import Tactic.
Local Open Scope R_scope.

Definition rnd := rounding_float rndNE 53 (-1074).
Definition u := / 9007199254740992. (* 2^-53 *)

(* exp(-x): the Taylor polynomial of degree 9, and the same in doubles with rounded coefficients *)
Definition polynomial (x : R) : R :=
  ((((((((((- (1 / 362880)) * x + (1 / 40320)) * x + (- (1 / 5040))) * x + (1 / 720)) * x + (- (1 / 120))) * x +
  (1 / 24)) * x + (- (1 / 6))) * x + (1 / 2)) * x + (-1)) * x + (1)).
Definition horner (x : R) : R :=
  rnd (rnd (rnd (rnd (rnd (rnd (rnd (rnd (rnd (rnd (rnd (rnd (rnd (rnd (rnd (rnd (rnd (rnd (rnd (- (1 / 362880))
  * x) + rnd (1 / 40320)) * x) + rnd (- (1 / 5040))) * x) + rnd (1 / 720)) * x) + rnd (- (1 / 120))) * x) + rnd
  (1 / 24)) * x) + rnd (- (1 / 6))) * x) + (1 / 2)) * x) + (-1)) * x) + (1)).
(* x = o (s + q o), and the estimate *)
Definition exponent (o s q : R) : R := rnd (o * rnd (s + rnd (q * o))).
Definition estimate (o s q r : R) : R := rnd (horner (exponent o s q) * r).

Lemma horner_error x : 0 <= x <= 33 / 64 -> Rabs (horner x - polynomial x) <= 1 * powerRZ 2 (-47).
Proof. intros H. unfold horner, polynomial, rnd. gappa. Qed.

Lemma polynomial_error x : 0 <= x <= 513 / 1024 -> Rabs (exp (- x) - polynomial x) <= 3 / 10000000000.
Proof. intros H. unfold polynomial. interval with (i_prec 80, i_bisect x, i_taylor x, i_degree 12). Qed.

(* one rounding: relative, or below the smallest numbers *)
Lemma one_rounding y : Rabs (rnd y - y) <= u * Rabs y + / 2 ^ 1000.
Proof.
  destruct (error_N_FLT radix2 (-1074) 53 eq_refl (fun z => negb (Z.even z)) y) as [e [eta [He [Ht [_ E]]]]].
  change (rnd y) with (round radix2 (FLT_exp (-1074) 53) (Znearest (fun z => negb (Z.even z))) y).
  rewrite E. replace (y * (1 + e) + eta - y) with (y * e + eta) by ring.
  apply Rle_trans with (1 := Rabs_triang _ _). apply Rplus_le_compat.
  - rewrite Rabs_mult, Rmult_comm. apply Rmult_le_compat_r; [apply Rabs_pos |].
    apply Rle_trans with (1 := He). unfold u. simpl. lra.
  - apply Rle_trans with (1 := Ht). simpl. lra.
Qed.

Definition least : R := / 2 ^ 200.
Lemma rounded y b : Rabs y <= b -> - (u * b + least) <= rnd y - y <= u * b + least.
Proof.
  intros H. apply Rabs_le_inv, Rle_trans with (1 := one_rounding y). apply Rplus_le_compat.
  - apply Rmult_le_compat_l; [unfold u; lra | exact H].
  - apply Rinv_le_contravar; [apply pow_lt; lra | apply Rle_pow; [lra | lia]].
Qed.
Lemma least_small : 0 < least <= / 10 ^ 40.
Proof. unfold least. split; interval. Qed.

(* four roundings in a row, and coefficients that were rounded before *)
Lemma exponent_error o s q s' q' : 0 <= o <= 2 ^ 64 -> 0 <= s -> 0 <= q ->
  Rabs (s' - s) <= u * s -> Rabs (q' - q) <= u * q -> o * (s + q * o) <= 1 / 2 ->
  Rabs (exponent o s' q' - o * (s + q * o)) <= / 2 ^ 51.
Proof.
  intros Ho Hs Hq S Q X. apply Rabs_le_inv in S. apply Rabs_le_inv in Q.
  assert (Hqo : 0 <= q * o) by (apply Rmult_le_pos; lra).
  assert (Ha : - (u * (q * o)) <= q' * o - q * o <= u * (q * o)).
  { replace (q' * o - q * o) with ((q' - q) * o) by ring. rewrite <- Rmult_assoc.
    rewrite Ropp_mult_distr_l. split; apply Rmult_le_compat_r; lra. }
  unfold exponent. pose proof (rounded (q' * o) ((1 + u) * (q * o))) as R1.
  pose proof least_small as L. set (w := q * o) in *. clearbody w.
  assert (R1' := R1 ltac:(apply Rabs_le; unfold u in *; lra)); clear R1.
  set (p := q' * o) in *. set (t1 := rnd p) in *. clearbody p t1.
  pose proof (rounded (s' + t1) ((1 + 3 * u) * (s + w) + least)) as R2.
  assert (R2' := R2 ltac:(apply Rabs_le; unfold u in *; lra)); clear R2.
  set (t2 := rnd (s' + t1)) in *. clearbody t2.
  assert (T : - (4 * u * (s + w) + 3 * least) <= t2 - (s + w) <= 4 * u * (s + w) + 3 * least) by (unfold u in *; lra).
  assert (M : 0 <= least * o <= / 10 ^ 40 * 2 ^ 64).
  { split; [apply Rmult_le_pos | apply Rmult_le_compat]; lra. }
  assert (C : - (4 * u * (o * (s + w)) + 3 * (least * o)) <= o * t2 - o * (s + w)
              <= 4 * u * (o * (s + w)) + 3 * (least * o)).
  { replace (4 * u * (o * (s + w)) + 3 * (least * o)) with (o * (4 * u * (s + w) + 3 * least)) by ring.
    replace (o * t2 - o * (s + w)) with (o * (t2 - (s + w))) by ring.
    rewrite Ropp_mult_distr_r. split; apply Rmult_le_compat_l; lra. }
  assert (X0 : 0 <= o * (s + w)) by (apply Rmult_le_pos; lra).
  set (c := o * t2) in *. set (x := o * (s + w)) in *. clearbody c x.
  assert (H20 : / 10 ^ 40 * 2 ^ 64 <= / 10 ^ 20) by interval.
  pose proof (rounded c 1 ltac:(apply Rabs_le; unfold u in *; lra)) as R3.
  assert (H51 : / 2 ^ 51 = 4 * u) by (unfold u; lra).
  apply Rabs_le. rewrite H51. unfold u in *. lra.
Qed.

Lemma rnd_nonnegative y : 0 <= y -> 0 <= rnd y.
Proof.
  intros H. change (rnd y) with (round radix2 (FLT_exp (-1074) 53) (Znearest (fun z => negb (Z.even z))) y).
  rewrite <- (round_0 radix2 (FLT_exp (-1074) 53) (Znearest (fun z => negb (Z.even z)))).
  apply round_le; [apply FLT_exp_valid; reflexivity | apply valid_rnd_N | exact H].
Qed.

Lemma exponent_nonnegative o s q s' q' : 0 <= o -> 0 <= s -> 0 <= q ->
  Rabs (s' - s) <= u * s -> Rabs (q' - q) <= u * q -> 0 <= exponent o s' q'.
Proof.
  intros Ho Hs Hq S Q. apply Rabs_le_inv in S. apply Rabs_le_inv in Q. unfold u in *.
  apply rnd_nonnegative, Rmult_le_pos; [exact Ho |]. apply rnd_nonnegative, Rplus_le_le_0_compat; [lra |].
  apply rnd_nonnegative, Rmult_le_pos; lra.
Qed.

(* the whole: o is the distance from the near end of the block, s and q are slope and curvature of the exponent there *)
Lemma estimate_error o s q r s' q' r' : 0 <= o <= 2 ^ 64 -> 0 <= s -> 0 <= q -> 0 <= r <= 1 ->
  Rabs (s' - s) <= u * s -> Rabs (q' - q) <= u * q -> Rabs (r' - r) <= 2 * u ->
  o * (s + q * o) <= 1 / 2 ->
  Rabs (estimate o s' q' r' - r * exp (- (o * (s + q * o)))) < / 2 ^ 31.
Proof.
  intros Ho Hs Hq Hr S Q P X. pose proof (exponent_nonnegative o s q s' q' ltac:(lra) Hs Hq S Q) as Y.
  pose proof (exponent_error o s q s' q' Ho Hs Hq S Q X) as E. apply Rabs_le_inv in E.
  assert (X0 : 0 <= o * (s + q * o)).
  { apply Rmult_le_pos; [lra |]. assert (0 <= q * o) by (apply Rmult_le_pos; lra). lra. }
  unfold estimate. set (y := exponent o s' q') in *. set (x := o * (s + q * o)) in *. clearbody x y.
  assert (H51 : / 2 ^ 51 <= 1 / 1024) by interval.
  pose proof (Rabs_le_inv _ _ (horner_error y ltac:(lra))) as A.
  pose proof (Rabs_le_inv _ _ (polynomial_error y ltac:(lra))) as B.
  assert (D : - / 2 ^ 51 <= exp (- y) - exp (- x) <= / 2 ^ 51).
  { assert (mean : forall a b, 0 <= a -> a <= b -> 0 <= exp (- a) - exp (- b) <= b - a).
    { intros a b Ha Hab. assert (exp (- b) <= exp (- a)).
      { destruct Hab as [Hab | ->]; [left; apply exp_increasing; lra | lra]. }
      assert (1 + (a - b) <= exp (a - b)) by apply exp_ineq1_le.
      assert (F : exp (- b) = exp (- a) * exp (a - b)) by (rewrite <- exp_plus; f_equal; ring).
      assert (0 < exp (- a) <= 1).
      { split; [apply exp_pos |]. rewrite <- exp_0. destruct Ha as [Ha | <-]; [left; apply exp_increasing; lra |].
        rewrite Ropp_0. lra. }
      split; [lra |]. rewrite F. nra. }
    destruct (Rle_dec x y) as [L | L]; [pose proof (mean x y X0 L) | pose proof (mean y x Y ltac:(lra))]; lra. }
  assert (Z : 0 < exp (- x) <= 1).
  { split; [apply exp_pos |]. rewrite <- exp_0. destruct X0 as [X0 | <-]; [left; apply exp_increasing; lra |].
    rewrite Ropp_0. lra. }
  assert (N : powerRZ 2 (-47) <= / 10 ^ 13) by interval.
  assert (N51 : / 2 ^ 51 <= / 10 ^ 13) by interval.
  set (g := horner y) in *. clearbody g.
  assert (G : - (31 / 100000000000) <= g - exp (- x) <= 31 / 100000000000) by lra.
  apply Rabs_le_inv in P. assert (U : 0 < u <= / 10 ^ 13) by (unfold u; lra).
  assert (V : - (32 / 100000000000) <= g * r' - r * exp (- x) <= 32 / 100000000000).
  { replace (g * r' - r * exp (- x)) with (g * (r' - r) + r * (g - exp (- x))) by ring. nra. }
  assert (W : - 2 <= g * r' <= 2) by nra.
  pose proof (rounded (g * r') 2 ltac:(apply Rabs_le; lra)) as R.
  pose proof least_small as H40.
  assert (H31 : 4 / 10000000000 < / 2 ^ 31) by lra.
  apply Rabs_def1; lra.
Qed.
