(* The reference samplers uniform_below, bernoulli and bernoulli_exp of dpmatrix.randomness.discrete, over fair coins:
   the uniform law below n, a coin of rational probability, and a coin of probability exp(-rate). *)
From HB Require Import structures.
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import boolp classical_sets functions cardinality fsbigop mathcomp_extra.
From mathcomp Require Import signed reals ereal topology normedtype sequences esum exp.
Import GRing.Theory Num.Theory Order.TTheory.
Import numFieldTopology.Exports numFieldNormedType.Exports.
From mathcomp.algebra_tactics Require Import ring.
From DPMatrix Require Import samplers.mass_functions.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.

Section bernoulli.
Variable R : realType.
Local Notation coin := (@coin R).
Local Notation ret := (@ret R _).

Lemma esum_below (n : nat) (f : nat -> \bar R) : (forall k, (0 <= f k)%E) -> (forall k, (n <= k)%N -> f k = 0%E) ->
  (\esum_(k in setT) f k = \sum_(k < n) f k)%E.
Proof.
move=> f0 fn; rewrite (esumID [set k | (k < n)%N]) // !setTI [X in (_ + X)%E]esum1 ?adde0; last first.
  by move=> k /= /negP; rewrite -leqNgt; exact: fn.
by rewrite esum_fset // fsbig_ord.
Qed.

Lemma half01 : (0 <= (2%:R^-1 : R) <= 1).
Proof. by rewrite invr_ge0 ler0n /= invf_le1 ?ltr0n // ler1n. Qed.

(* entropy.bits: a word of w fair bits *)
Fixpoint word (w : nat) : mass R nat_choiceType :=
  if w is w'.+1 then bind (coin 2%:R^-1) (fun b => bind (word w') (fun k => ret (b + k.*2)%N)) else ret 0%N.

Lemma word_is_law w : is_law (word w).
Proof.
elim: w => [|w IH]; first exact: ret_law.
by apply: bind_law => [|b]; [exact/coin_law/half01 | apply: bind_law => // k; exact: ret_law].
Qed.

Lemma word_law w k : word w k = (((k < 2 ^ w)%N)%:R * (2%:R ^- w))%:E.
Proof.
elim: w k => [|w IH] k /=; first by rewrite /ret expn0 ltnS leqn0 eq_sym expr0 invr1 mulr1.
rewrite bind_coin; last 2 first.
- exact: half01.
- by move=> b; apply: law_ge0; apply: bind_law => [|x]; [exact: word_is_law | exact: ret_law].
have low (b : bool) : bind (word w) (fun x => ret (b + x.*2)%N) k = if odd k == b then word w k./2 else 0%E.
  case: eqP => [kb|kb].
    rewrite (@bind_one _ _ _ _ _ k./2) /ret.
    - by rewrite -kb odd_double_half eqxx mule1.
    - by move=> x; exact: law_ge0 (word_is_law w).
    - by rewrite lee_fin.
    - move=> x xk; case: eqP => // xE; case/eqP: xk.
      by rewrite -xE half_bit_double.
  rewrite bind_none // => x; rewrite /ret; case: eqP => // xE; case: kb.
  by rewrite -xE oddD odd_double addbF; case: (b).
have kw : (k < 2 ^ w.+1)%N = (k./2 < 2 ^ w)%N by rewrite expnS mul2n [RHS]ltnNge geq_half_double -ltnNge.
rewrite !low kw exprS invfM; case: (odd k) => /=; rewrite IH mule0 ?adde0 ?add0e -EFinM; congr EFin; first by rewrite mulrCA.
have -> : 1 - 2%:R^-1 = 2%:R^-1 :> R by field.
by rewrite mulrCA.
Qed.

(* uniform_below n: words with as many bits as n - 1 until one is below n *)
Definition below_attempt (n : nat) : mass R [choiceType of option nat] :=
  bind (word (up_log 2 n)) (fun k => ret (if (k < n)%N then Some k else None)).
Definition uniform_below (n : nat) : mass R nat_choiceType := loop (below_attempt n).

Lemma sum_below (m n : nat) : (m <= n)%N -> (\sum_(k < n) ((k < m)%N)%:R = m%:R :> R).
Proof.
move=> mn; rewrite -natr_sum; congr (_%:R); transitivity (\sum_(k < n | (k < m)%N) 1)%N.
  by rewrite [RHS]big_mkcond; apply: eq_bigr => k _; case: (k < m)%N.
by rewrite -(big_ord_widen n (fun=> 1%N)) // sum1_card card_ord.
Qed.

Lemma uniform_below_law (n : nat) : (0 < n)%N ->
  (forall k, uniform_below n k = (((k < n)%N)%:R / n%:R)%:E) /\ is_law (uniform_below n).
Proof.
move=> n0; have enough : (n <= 2 ^ up_log 2 n)%N.
  have [n1|n1] := leqP n 1; first by rewrite (leq_trans n1) // expn_gt0.
  by have /andP[] := up_log_bounds (isT : 1 < 2)%N n1.
apply: (rejection (c := 2%:R ^- up_log 2 n)).
- by apply: bind_law => [|k]; [exact: word_is_law | exact: ret_law].
- by rewrite invr_gt0 exprn_gt0 // ltr0n.
- by rewrite ltr0n.
- move=> k; rewrite /below_attempt; case: (ltnP k n) => kn.
    rewrite (@bind_one _ _ _ _ _ k) /ret ?kn ?eqxx ?mule1 ?lee_fin //; first last.
    + by move=> x xk; case: ifP => // _; case: eqP => // -[] /eqP; rewrite (negbTE xk).
    + by move=> x; exact: law_ge0 (word_is_law _).
    by rewrite word_law (leq_trans kn enough) mul1r mulr1.
  by rewrite bind_none ?mulr0 // => x; rewrite /ret; case: ifP => // xn; case: eqP => // -[xk];
     move: kn; rewrite -xk leqNgt xn.
rewrite (esum_below (n := n)) => [|k|k nk]; last 2 first.
- by rewrite lee_fin.
- by rewrite ltnNge nk.
by rewrite sumEFin sum_below.
Qed.

(* bernoulli num/den: a uniform integer falls below the numerator *)
Definition bernoulli (num den : nat) : mass R bool_choiceType := bind (uniform_below den) (fun k => ret (k < num)%N).

Lemma law_on_bool (p : mass R bool_choiceType) (q : R) : is_law p -> p true = q%:E -> p = coin q.
Proof.
move=> lp pt; apply/funext => -[|] //; rewrite /mass_functions.coin.
have [r rE _] := law_real false lp; have := proj2 lp.
by rewrite esum_bool => [|b]; [rewrite pt rE -EFinD => -[<-]; congr EFin; rewrite addrC addKr | exact: law_ge0].
Qed.

Lemma bernoulli_law (num den : nat) : (0 < den)%N -> (num <= den)%N -> bernoulli num den = coin (num%:R / den%:R).
Proof.
move=> d0 nd; have [uE ul] := uniform_below_law d0.
apply: law_on_bool; first by apply: bind_law => // k; exact: ret_law.
rewrite /bernoulli /bind (esum_below (n := den)) => [|k|k dk].
- rewrite (eq_bigr (fun k : 'I_den => (((k < num)%N)%:R / den%:R)%:E)) => [|k _].
    by rewrite sumEFin -mulr_suml sum_below.
  by rewrite uE ltn_ord /ret -EFinM mul1r mulrC; case: (_ < _)%N.
- by apply: mule_ge0; [exact: law_ge0 | rewrite lee_fin].
- by rewrite uE ltnNge dk mul0r mul0e.
Qed.

(* _bernoulli_exp_unit a/b: Bernoulli(a/b/j) for j = 1, 2, ... up to the first failure; whether that j is odd *)
Fixpoint trials (a b n j : nat) : mass R bool_choiceType :=
  if n is n'.+1 then bind (bernoulli a (b * j)) (fun go : bool => if go then trials a b n' j.+1 else ret (odd j))
  else fun=> 0%E.
Definition bernoulli_exp_unit (a b : nat) : mass R bool_choiceType := fun y => lim (fun n => trials a b n 1 y).

Section unit_rate.
Variables (a b : nat).
Hypotheses (b0 : (0 < b)%N) (ab : (a <= b)%N).
Let x : R := a%:R / b%:R.
Let w (k : nat) : R := exp_coeff x k.

Fixpoint trials_value (y : bool) (n k : nat) : R :=
  if n is n'.+1 then x / k.+1%:R * trials_value y n' k.+1 + (1 - x / k.+1%:R) * (odd k.+1 == y)%:R else 0.

Lemma rate01 k : 0 <= x / k.+1%:R <= 1.
Proof.
rewrite !divr_ge0 ?ler0n //= -mulrA -invfM ler_pdivr_mulr ?mulr_gt0 ?ltr0n // mul1r -natrM ler_nat.
by rewrite (leq_trans ab) // leq_pmulr.
Qed.

Lemma trials_real y n k : trials a b n k.+1 y = (trials_value y n k)%:E.
Proof.
elim: n k => [//|n IH] k /=; have le : (a <= b * k.+1)%N by rewrite (leq_trans ab) // leq_pmulr.
have pos : (0 < b * k.+1)%N by rewrite muln_gt0 b0.
have rE : a%:R / (b * k.+1)%:R = x / k.+1%:R :> R by rewrite natrM invfM mulrA.
have v0 m i : 0 <= trials_value y m i.
  elim: m i => [//|m h] i /=; have /andP[r0 r1] := rate01 i.
  by rewrite addr_ge0 // mulr_ge0 // ?subr_ge0 // ler0n.
rewrite bernoulli_law // rE bind_coin; [|exact: rate01|by case; rewrite ?IH lee_fin ?v0].
by rewrite IH -!EFinM.
Qed.

Lemma weightS k : w k.+1 = x / k.+1%:R * w k.
Proof. by rewrite /w /exp_coeff /= exprS factS natrM invfM mulrACA. Qed.

Lemma trials_sum y n k :
  w k * trials_value y n k = \sum_(i < n) (odd (k + i).+1 == y)%:R * (w (k + i) - w (k + i).+1).
Proof.
elim: n k => [|n IH] k; first by rewrite big_ord0 mulr0.
rewrite big_ord_recl /= addn0.
rewrite (eq_bigr (fun i : 'I_n => (odd (k.+1 + i).+1 == y)%:R * (w (k.+1 + i) - w (k.+1 + i).+1))) => [|i _]; last first.
  by rewrite /bump leq0n add1n addnS addSn.
rewrite -IH weightS; set v := (odd k.+1 == y)%:R; set u := trials_value _ _ _; set r := x / _; set z := w k; ring.
Qed.

Lemma accepted_sum n : trials_value true n 0 = series (exp_coeff (- x)) n - (odd n)%:R * w n.
Proof.
have w0 : w 0 = 1 by rewrite /w /exp_coeff /= expr0 fact0 divr1.
have := trials_sum true n 0; rewrite w0 mul1r => ->; rewrite /series /= big_mkord; elim: n => [|n IH]; first by rewrite !big_ord0 mul0r subr0.
rewrite !big_ord_recr /= IH add0n {IH}.
have -> : exp_coeff (- x) n = (-1) ^+ odd n * w n.
  by rewrite signr_odd /w /exp_coeff /= (exprNn x) -mulrA.
move: (w n) (w n.+1) (\sum_(i < n) _) => u v t.
by case: (odd n); rewrite /= ?expr0 ?expr1 ?eqxx ?mul0r ?mul1r ?subr0; ring.
Qed.

Lemma both_sum n : trials_value true n 0 + trials_value false n 0 = 1 - w n.
Proof.
have w0 : w 0 = 1 by rewrite /w /exp_coeff /= expr0 fact0 divr1.
have := (trials_sum true n 0, trials_sum false n 0); rewrite w0 !mul1r => -[-> ->].
rewrite -big_split /=; elim: n => [|n IH].
  by rewrite big_ord0 w0 subrr.
rewrite big_ord_recr /= IH !add0n; move: (w n) (w n.+1) => u v.
by case: (odd n); rewrite /= ?mul0r ?mul1r ?add0r ?addr0; ring.
Qed.

Lemma bernoulli_exp_unit_law : bernoulli_exp_unit a b = coin (expR (- x)).
Proof.
have wn : w --> (0 : R) by apply: cvg_series_cvg_0; exact: is_cvg_series_exp_coeff.
have own : (fun n => (odd n)%:R * w n) --> (0 : R).
  apply: (@squeeze_cvgr _ _ _ _ (fun=> 0) _ w) => //; last exact: cvg_cst.
  apply: nearW => n; have wp : 0 <= w n by rewrite divr_ge0 ?ler0n // exprn_ge0 // divr_ge0 ?ler0n.
  by rewrite mulr_ge0 ?ler0n //= ler_pimull // lern1; case: (odd n).
have t1 : (trials_value true)^~ 0%N --> expR (- x).
  rewrite (_ : _^~ _ = (fun n => series (exp_coeff (- x)) n - (odd n)%:R * w n)); last first.
    by apply/funext => n; exact: accepted_sum.
  by rewrite -[X in _ --> X]subr0; apply: cvgB => //; exact: is_cvg_series_exp_coeff.
have t0 : (trials_value false)^~ 0%N --> 1 - expR (- x).
  rewrite (_ : _^~ _ = (fun n => 1 - w n - trials_value true n 0)); last first.
    by apply/funext => n; rewrite -both_sum addrC addKr.
  by apply: cvgB => //; rewrite -[X in _ --> X]subr0; apply: cvgB => //; exact: cvg_cst.
apply/funext => y; rewrite /bernoulli_exp_unit.
rewrite (_ : (fun n => _) = EFin \o (trials_value y)^~ 0%N); last by apply/funext => n; rewrite trials_real.
have cv : (trials_value y)^~ 0%N --> (if y then expR (- x) else 1 - expR (- x)) by case: y.
by rewrite EFin_lim; [congr EFin; exact: cvg_lim | apply/cvg_ex; eexists; exact: cv].
Qed.
End unit_rate.

(* bernoulli_exp (m + a/b): m units and a remainder, all of which must be accepted *)
Fixpoint bernoulli_exp (m a b : nat) : mass R bool_choiceType :=
  if m is m'.+1 then bind (bernoulli_exp_unit 1 1) (fun yes : bool => if yes then bernoulli_exp m' a b else ret false)
  else bernoulli_exp_unit a b.

Lemma expRN01 (x : R) : 0 <= x -> 0 <= expR (- x) <= 1.
Proof. by move=> x0; rewrite ltW ?expR_gt0 //= -expR0 ler_expR oppr_le0. Qed.

Lemma bernoulli_exp_law (m a b : nat) : (0 < b)%N -> (a < b)%N ->
  bernoulli_exp m a b = coin (expR (- (m%:R + a%:R / b%:R))).
Proof.
move=> b0 ab; have r0 k : 0 <= k%:R + a%:R / b%:R :> R by rewrite addr_ge0 ?divr_ge0 ?ler0n.
elim: m => [|m IH] /=; first by rewrite bernoulli_exp_unit_law ?add0r // ltnW.
rewrite bernoulli_exp_unit_law // divr1; apply: law_on_bool.
  apply: bind_law => [|[]]; [exact/coin_law/expRN01|by rewrite IH; apply/coin_law/expRN01|exact: ret_law].
rewrite bind_coin ?expRN01 // => [|[]]; last 2 first.
- by rewrite IH lee_fin ltW // expR_gt0.
- by rewrite lee_fin.
rewrite IH /mass_functions.coin /mass_functions.ret mule0 adde0 -EFinM -expRD; congr (expR _)%:E.
by rewrite [m.+1%:R]mulrS -opprD addrA.
Qed.
End bernoulli.
