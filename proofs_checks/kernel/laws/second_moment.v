(* The second-moment matrix of a sequence of records, its upper triangle as a vector, the neighbouring relations, and
   by how much one record changes the triangle, for every length d of a record and every number of records. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import boolp reals measure.
From mathcomp.algebra_tactics Require Import ring.
From DPMatrix Require Import lebesgue_space additive_noise.
Import GRing.Theory Num.Theory Order.TTheory.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Local Open Scope ring_scope.

Section triangle.
Variables (R : realType) (d : nat).

(* the places on and above the diagonal *)
Definition upper := {ij : 'I_d * 'I_d | (ij.1 <= ij.2)%N}.
Definition triangle_size := #|{: upper}|.
Lemma ordered (i j : 'I_d) : let p := if (i <= j)%N then (i, j) else (j, i) in (p.1 <= p.2)%N.
Proof. by case: leqP => //= /ltnW. Qed.
Definition place (i j : 'I_d) : 'I_triangle_size := 
  enum_rank (exist (fun ij : 'I_d * 'I_d => is_true (ij.1 <= ij.2)%N) _ (ordered i j) : upper).
Definition triangle (A : 'M[R]_d) : 'rV[R]_triangle_size :=
  \row_k A (sval (enum_val k)).1 (sval (enum_val k)).2.
Definition symmetric_matrix (x : 'rV[R]_triangle_size) : 'M[R]_d := \matrix_(i, j) x 0 (place i j).

Lemma placeC i j : place i j = place j i.
Proof.
rewrite /place; congr enum_rank; apply: val_inj => /=.
by case: ltngtP => // /val_inj ->.
Qed.
Lemma symmetric_matrixT x : (symmetric_matrix x)^T = symmetric_matrix x.
Proof. by apply/matrixP => i j; rewrite !mxE placeC. Qed.
Lemma symmetric_matrixD x y : symmetric_matrix (x + y) = symmetric_matrix x + symmetric_matrix y.
Proof. by apply/matrixP => i j; rewrite !mxE. Qed.
Lemma triangleK A : A^T = A -> symmetric_matrix (triangle A) = A.
Proof.
move=> sA; apply/matrixP => i j; rewrite !mxE enum_rankK /=.
by case: leqP => //= _; rewrite -[in LHS]sA mxE.
Qed.
Lemma symmetric_matrixK x : triangle (symmetric_matrix x) = x.
Proof.
apply/rowP => k; rewrite !mxE; congr (x 0 _); rewrite -[RHS]enum_valK; congr enum_rank.
by apply: val_inj => /=; case: (enum_val k) => -[i j] /= ->.
Qed.
Lemma triangleD A B : triangle (A + B) = triangle A + triangle B.
Proof. by apply/rowP => k; rewrite !mxE. Qed.
Lemma triangleB A B : triangle (A - B) = triangle A - triangle B.
Proof. by apply/rowP => k; rewrite !mxE. Qed.
Lemma triangleZ a A : triangle (a *: A) = a *: triangle A.
Proof. by apply/rowP => k; rewrite !mxE. Qed.

Lemma triangle_sum_le (f : 'I_d -> 'I_d -> R) : (forall i j, 0 <= f i j) ->
  \sum_(k < triangle_size) f (sval (enum_val k)).1 (sval (enum_val k)).2 <= \sum_i \sum_j f i j.
Proof.
move=> f0; rewrite pair_big /=; pose F p := f p.1 p.2.
rewrite -(reindex (@enum_val [finType of upper] predT) (P := predT) (F := fun u => F (sval u))); last first.
  by apply: onW_bij; exact: enum_val_bij.
rewrite -(big_map sval predT F) big_uniq /=; last by rewrite map_inj_uniq ?index_enum_uniq//; exact: val_inj.
rewrite [leRHS](bigID (mem [seq sval i | i <- index_enum [finType of upper]])) /= ler_addl.
by apply: sumr_ge0 => p _; exact: f0.
Qed.
End triangle.

Section records.
Variables (R : realType) (d : nat).
Implicit Types (v w : 'rV[R]_d) (X Y : seq 'rV[R]_d).

Definition outer v : 'M[R]_d := v^T *m v.
Definition moment X : 'M[R]_d := \sum_(x <- X) outer x.
Definition bounded (r : R) X : Prop := forall x, x \in X -> squared_norm x <= r ^+ 2.

(* one record is replaced, or one record appears or disappears; all records have norm at most r *)
Definition replace_one r X Y : Prop := exists s v w t,
  [/\ X = s ++ v :: t, Y = s ++ w :: t, bounded r X & bounded r Y].
Definition add_remove_one r X Y : Prop := exists s v t,
  [/\ (X = s ++ v :: t /\ Y = s ++ t) \/ (X = s ++ t /\ Y = s ++ v :: t), bounded r X & bounded r Y].

Lemma replace_one_size r X Y : replace_one r X Y -> size X = size Y.
Proof. by move=> [s [v [w [t [-> -> _ _]]]]]; rewrite !size_cat. Qed.

Lemma outerE v i j : outer v i j = v 0 i * v 0 j.
Proof. by rewrite mxE big_ord_recl big_ord0 addr0 mxE. Qed.
Lemma outerT v : (outer v)^T = outer v.
Proof. by rewrite /outer trmx_mul trmxK. Qed.
Lemma trace_outer v : \tr (outer v) = squared_norm v.
Proof. by apply: eq_bigr => i _; rewrite outerE expr2. Qed.
Lemma momentT X : (moment X)^T = moment X.
Proof. by apply/matrixP => i j; rewrite mxE !summxE; apply: eq_bigr => x _; rewrite !outerE mulrC. Qed.

(* what one record changes, and nothing else does *)
Theorem moment_replaced s v w t : moment (s ++ v :: t) - moment (s ++ w :: t) = outer v - outer w.
Proof. by rewrite /moment !big_cat !big_cons /= ![_ + (outer _ + _)]addrCA [X in X - _]addrC [X in _ - X]addrC opprD addrACA subrr add0r. Qed.
Theorem moment_added s v t : moment (s ++ v :: t) - moment (s ++ t) = outer v.
Proof. by rewrite /moment !big_cat big_cons /= addrCA addrK. Qed.

Definition frobenius_squared (A : 'M[R]_d) : R := \sum_i \sum_j A i j ^+ 2.
Lemma frobenius_difference v w :
  frobenius_squared (outer v - outer w) = squared_norm v ^+ 2 + squared_norm w ^+ 2 - inner v w ^+ 2 *+ 2.
Proof.
have dotM (a b : 'rV[R]_d) : inner a b ^+ 2 = \sum_i \sum_j (a 0 i * b 0 i) * (a 0 j * b 0 j).
  by rewrite expr2 {1}/inner mulr_suml; apply: eq_bigr => i _; rewrite mulr_sumr.
rewrite -!innerE !dotM /frobenius_squared -sumrMnl -big_split -sumrB /=; apply: eq_bigr => i _.
rewrite -sumrMnl -big_split -sumrB /=; apply: eq_bigr => j _.
have -> : (outer v - outer w) i j = v 0 i * v 0 j - w 0 i * w 0 j by rewrite -!outerE !mxE.
ring.
Qed.
Lemma frobenius_outer v : frobenius_squared (outer v) = squared_norm v ^+ 2.
Proof.
rewrite /frobenius_squared expr2 /squared_norm mulr_suml; apply: eq_bigr => i _.
by rewrite mulr_sumr; apply: eq_bigr => j _; rewrite outerE exprMn.
Qed.
Lemma triangle_frobenius (A : 'M[R]_d) : squared_norm (triangle A) <= frobenius_squared A.
Proof.
rewrite /squared_norm /frobenius_squared; under eq_bigr do rewrite mxE.
by apply: (triangle_sum_le (f := fun i j => A i j ^+ 2)) => i j; exact: sqr_ge0.
Qed.

(* the Euclidean sensitivities *)
Lemma triangle_replaced r X Y : replace_one r X Y ->
  squared_norm (triangle (moment X) - triangle (moment Y)) <= r ^+ 4 *+ 2.
Proof.
move=> [s [v [w [t [-> -> bX bY]]]]]; rewrite -triangleB moment_replaced.
have vr : squared_norm v <= r ^+ 2 by apply: bX; rewrite mem_cat mem_head orbT.
have wr : squared_norm w <= r ^+ 2 by apply: bY; rewrite mem_cat mem_head orbT.
apply: (le_trans (triangle_frobenius _)); rewrite frobenius_difference ler_subl_addr.
apply: ler_paddr; first by rewrite mulrn_wge0 // sqr_ge0.
by rewrite mulr2n (exprM r 2 2) ler_add// ler_pexpn2r// nnegrE ?squared_norm_ge0 ?sqr_ge0.
Qed.
Lemma triangle_added r X Y : add_remove_one r X Y ->
  squared_norm (triangle (moment X) - triangle (moment Y)) <= r ^+ 4.
Proof.
have one s v t : squared_norm v <= r ^+ 2 ->
    squared_norm (triangle (moment (s ++ v :: t)) - triangle (moment (s ++ t))) <= r ^+ 4.
  move=> vr; rewrite -triangleB moment_added (le_trans (triangle_frobenius _))// frobenius_outer.
  by rewrite (exprM r 2 2) ler_pexpn2r// nnegrE ?squared_norm_ge0 ?sqr_ge0.
move=> [s [v [t [[[-> ->]|[-> ->]] bX bY]]]]; last first.
  by rewrite -squared_normN opprB; apply: one; apply: bY; rewrite mem_cat mem_head orbT.
by apply: one; apply: bX; rewrite mem_cat mem_head orbT.
Qed.

Theorem triangle_sensitivity r X Y :
  (add_remove_one r X Y -> squared_norm (triangle (moment X) - triangle (moment Y)) <= r ^+ 4) /\
  (replace_one r X Y -> squared_norm (triangle (moment X) - triangle (moment Y)) <= r ^+ 4 *+ 2).
Proof. by split; [exact: triangle_added | exact: triangle_replaced]. Qed.

(* the l1 norm of the triangle: 2 d for two records of norm 1 *)
Lemma l1_outer v : \sum_i \sum_j `|outer v i j| <= d%:R * squared_norm v.
Proof.
have amgm (a b : R) : `|a * b| <= (a ^+ 2 + b ^+ 2) / 2%:R.
  rewrite ler_pdivl_mulr ?ltr0n// normrM -(real_normK (num_real a)) -(real_normK (num_real b)) -subr_ge0.
  have -> : `|a| ^+ 2 + `|b| ^+ 2 - `|a| * `|b| * 2%:R = (`|a| - `|b|) ^+ 2 by ring.
  exact: sqr_ge0.
apply: (@le_trans _ _ (\sum_i \sum_j (v 0 i ^+ 2 + v 0 j ^+ 2) / 2%:R)).
  by apply: ler_sum => i _; apply: ler_sum => j _; rewrite outerE.
have -> : \sum_i \sum_j (v 0 i ^+ 2 + v 0 j ^+ 2) / 2%:R = (d%:R * squared_norm v + d%:R * squared_norm v) / 2%:R.
  under eq_bigr => i _ do rewrite -mulr_suml big_split /= sumr_const card_ord -/(squared_norm v).
  by rewrite -mulr_suml big_split /= sumr_const card_ord sumrMnl -/(squared_norm v) !mulr_natl.
by rewrite -mulr2n -[_ *+ 2]mulr_natr mulfK// pnatr_eq0.
Qed.
Theorem triangle_l1_replaced X Y : replace_one 1 X Y ->
  l1_norm (triangle (moment X) - triangle (moment Y)) <= 2%:R * d%:R.
Proof.
move=> [s [v [w [t [-> -> bX bY]]]]]; rewrite -triangleB moment_replaced.
have v1 : squared_norm v <= 1 by rewrite -(expr1n _ 2); apply: bX; rewrite mem_cat mem_head orbT.
have w1 : squared_norm w <= 1 by rewrite -(expr1n _ 2); apply: bY; rewrite mem_cat mem_head orbT.
rewrite /l1_norm; under eq_bigr do rewrite mxE.
apply: (le_trans (triangle_sum_le (f := fun i j => `|(outer v - outer w) i j|) _)) => [i j|]; first exact: normr_ge0.
apply: (@le_trans _ _ (\sum_i \sum_j `|outer v i j| + \sum_i \sum_j `|outer w i j|)).
  rewrite -big_split ler_sum// => i _; rewrite -big_split ler_sum// => j _.
  by rewrite !mxE; exact: ler_norm_sub.
by rewrite mulr_natl mulr2n; apply: ler_add; apply: (le_trans (l1_outer _)); rewrite -[leRHS]mulr1; apply: ler_wpmul2l; rewrite ?ler0n.
Qed.

(* all entries count: the sum of the squares of the change of the matrix *)
Theorem frobenius_of_two_records v w : squared_norm v <= 1 -> squared_norm w <= 1 ->
  frobenius_squared (outer v - outer w) <= 2%:R.
Proof.
move=> v1 w1; rewrite frobenius_difference ler_subl_addr.
apply: ler_paddr; first by rewrite mulrn_wge0 // sqr_ge0.
by rewrite -[2%:R]/(1 + 1) ler_add // expr_le1 // squared_norm_ge0.
Qed.
End records.
